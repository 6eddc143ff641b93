#!/usr/bin/env bash
# How fast is Myriad beside what else one would pick for the same work?
#
# Runs PHOLD on every engine that is installed, all in turn, round after round, and prints the median
# rates of each, per second of wall clock and of processor time (steadier on a machine that others use,
# too), and the median of the rounds' ratios to Myriad on one thread. README.md beside this file
# says what is compared and how to install the peers.
#
# Usage: run.sh [ROUNDS]     (default 5)
#   SIZES="1000 100000"  the numbers of actors
#   SECONDS_EACH=1.0     about how long each run should take
#   KEEP=FILE            where to keep the single measurements
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
rounds=${1:-5}
sizes=${SIZES:-"1000 100000"}
seconds=${SECONDS_EACH:-1.0}
remote=0.5 lookahead=0.1 mean=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=${KEEP:-$work/found}
: >"$found"

say() { echo "$*" >&2; }

# ---- which engines are there -------------------------------------------------------------------
say "building Myriad"
cargo build --release --quiet --manifest-path "$root/Cargo.toml"
myriad=${CARGO_TARGET_DIR:-$root/target}/release/myriad

engines="myriad"
say "building PHOLD on NeXosim"
if cargo build --release --quiet --manifest-path "$here/nexosim/Cargo.toml" 2>"$work/why"; then
  engines="$engines nexosim"
  nexosim=${CARGO_TARGET_DIR:-$here/nexosim/target}/release/phold-nexosim
else
  say "NeXosim is left out: $(tail -n 1 "$work/why")"
fi
if python3 -c 'import simpy' 2>/dev/null; then
  engines="$engines simpy"
else
  say "SimPy is left out: python3 finds no package simpy"
fi
if c++ -O3 -std=c++17 -o "$work/simgrid" "$here/simgrid/phold.cpp" -lsimgrid 2>"$work/why"; then
  engines="$engines simgrid"
else
  say "SimGrid is left out: $(grep -m 1 -i error "$work/why" || echo "it does not build")"
fi

# ---- one run of one engine: events a second, and a processor second, and bytes per actor ----------------------------------
# About how many events a second each handles, to choose how long to simulate. Wrong guesses only
# make runs shorter or longer. Every run passes each token on five times at least.
guess() { # engine actors
  case $1 in
    nexosim) [ "$2" -le 10000 ] && echo 2500000 || echo 350000 ;;
    simpy) [ "$2" -le 10000 ] && echo 500000 || echo 250000 ;;
    simgrid) echo 500000 ;;
  esac
}

until_for() { # engine actors
  awk -v rate="$(guess "$1" "$2")" -v seconds="$seconds" -v actors="$2" -v round=$(awk "BEGIN{print $lookahead+$mean}") \
    'BEGIN { rounds = rate * seconds / actors; if (rounds < 5) rounds = 5; printf "%.3f", rounds * round }'
}

# Prints "engine rate rate_per_cpu_s bytes_per_actor"; a run that fails is named and left out.
peer() { # engine actors round command...
  local engine=$1 actors=$2 round=$3
  shift 3
  if ! "$@" "$actors" "$(until_for "$engine" "$actors")" $remote $lookahead $mean "$round" >"$work/out" 2>"$work/why"; then
    say "$engine failed with $actors actors: $(tail -n 1 "$work/why")"
    return
  fi
  awk -v engine="$engine" -v actors="$actors" '{ printf "%s %.0f %.0f %.0f\n", engine, $1 / $2, $1 / ($3 > 0 ? $3 : $2), $4 / actors }' "$work/out"
}

ours() { # actors round
  local events
  events=$(awk -v actors="$1" -v seconds="$seconds" 'BEGIN { rate = actors <= 10000 ? 20e6 : 8e6; printf "%.0f", rate * seconds }')
  "$myriad" bench phold --actors "$1" --remote $remote --lookahead $lookahead --mean $mean --seed "$2" \
    --events "$events" --threads 1,2 --repeat 1 --json 2>/dev/null >"$work/out"
  awk '
    { gsub(/[",]/, "") }
    $1 == "queue:" { queue = $2 }
    $1 == "threads:" { threads = $2 }
    $1 == "events_per_s:" { rate = $2 }
    $1 == "events_per_cpu_s:" { cpu = $2 }
    $1 == "bytes_per_actor:" { bytes = $2 }
    $1 == "digest:" { printf "myriad_%s_%s %.0f %.0f %.0f\n", queue, threads, rate, cpu, bytes }' "$work/out"
}

for round in $(seq 1 "$rounds"); do
  for actors in $sizes; do
    for engine in $engines; do
      case $engine in
        myriad) ours "$actors" "$round" ;;
        nexosim) peer nexosim "$actors" "$round" "$nexosim" ;;
        simpy) peer simpy "$actors" "$round" python3 "$here/simpy/phold.py" ;;
        simgrid)
          # A stack per actor: tens of thousands need more mappings than a system gives by default.
          [ "$actors" -gt 10000 ] || peer simgrid "$actors" "$round" "$work/simgrid" \
            --cfg=contexts/stack-size:16 --log=root.thresh:critical
          ;;
      esac | sed "s/^/$round $actors /" >>"$found"
    done
  done
  say "round $round of $rounds"
done

# ---- medians ------------------------------------------------------------------------------------
median() { sort -g | awk '{ a[NR] = $1 } END { print NR ? (NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2) : 0 }'; }

# The median over the rounds of Myriad's figure in column $1 over the engine's.
ratio() { # column actors engine
  awk -v c="$1" -v a="$2" -v e="$3" -v b=myriad_window_ring_1 '
    $2 == a && $3 == b { base[$1] = $c }
    $2 == a && $3 == e { own[$1] = $c }
    END { for (round in own) if (round in base) print base[round] / own[round] }' "$found" | median
}

# The median of the engine's figure in column $1.
figure() { # column actors engine
  awk -v c="$1" -v a="$2" -v e="$3" '$2 == a && $3 == e { print $c }' "$found" | median
}

printf '%-8s %-21s %13s %15s %14s %14s %12s\n' actors engine "M events/s" "M events/CPU s" \
  "Myriad is" "by CPU time" "bytes/actor"
for actors in $sizes; do
  for engine in $(awk -v actors="$actors" '$2 == actors { print $3 }' "$found" | awk '!seen[$0]++'); do
    printf '%-8s %-21s %13.3f %15.3f %13.1fx %13.1fx %12.0f\n' "$actors" "$engine" \
      "$(figure 4 "$actors" "$engine" | awk '{ print $1 / 1e6 }')" \
      "$(figure 5 "$actors" "$engine" | awk '{ print $1 / 1e6 }')" \
      "$(ratio 4 "$actors" "$engine")" "$(ratio 5 "$actors" "$engine")" "$(figure 6 "$actors" "$engine")"
  done
done
