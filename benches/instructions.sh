#!/usr/bin/env bash
# How many instructions does an event cost?
#
# Times move on machines that others use, too; instructions hardly do. Each world is run twice, for a
# short and a long time, under valgrind's callgrind, and the difference is divided by the difference in
# events, so that starting and building cancel out.
#
# Usage: instructions.sh [check]
#   check: fail if a count is above its ceiling. Without valgrind it says so and succeeds.
# The ceilings are generous: they are there to catch a mistake, not a per cent. Figures and their history
# are in docs/benchmarks.md.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v valgrind >/dev/null; then
  echo "instructions per event: skipped, since valgrind is not installed"
  exit 0
fi
cargo build --release --quiet --locked --manifest-path "$root/Cargo.toml"
myriad=${CARGO_TARGET_DIR:-$root/target}/release/myriad
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints "instructions events" of one run of a job.
count() { # job
  # A release build keeps the line tables that valgrind may warn about; only its count matters here.
  valgrind --tool=callgrind --callgrind-out-file="$work/profile" "$myriad" bench-one "$1" \
    >"$work/measured" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
  local events instructions
  events=$(sed -n 's/.*"events":\([0-9]*\).*/\1/p' "$work/measured")
  instructions=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/said")
  echo "$instructions $events"
}

status=0
# Measures a world between two times and compares with its ceiling.
world() { # name ceiling job-with-UNTIL short_ns long_ns
  local short long per_event
  short=$(count "${3//UNTIL/$4}")
  long=$(count "${3//UNTIL/$5}")
  per_event=$(echo "$short $long" | awk '{ printf "%.0f", ($3 - $1) / ($4 - $2) }')
  printf '%-44s %6d instructions per event (ceiling %d)\n' "$1" "$per_event" "$2"
  if [ "${check:-}" = yes ] && [ "$per_event" -gt "$2" ]; then
    echo "that is above its ceiling" >&2
    status=1
  fi
}

[ "${1:-}" != check ] || check=yes
phold() { # actors queue
  echo '{"subject":{"phold":{"actors":'"$1"',"events_per_actor":1,"remote":0.5,"lookahead_s":0.1,"mean_s":1.0}},' \
    '"until":UNTIL,"seed":1,"plan":{"queue":"'"$2"'"},"watched":false}'
}
volunteer() { # scenario hosts
  echo '{"subject":{"volunteer":{"file":"'"$root/configs/volunteer/$1.toml"'","hosts":'"$2"',"set":[]}},' \
    '"until":UNTIL,"seed":1,"plan":{},"watched":false}'
}
hour=3600000000000

# 1,000 actors pass their tokens on 1,000 times in 1,100 s: 100,000 and 400,000 events.
world "PHOLD, 1,000 actors, window_ring" 560 "$(phold 1000 window_ring)" 110000000000 440000000000
world "PHOLD, 1,000 actors, binary_heap" 980 "$(phold 1000 binary_heap)" 110000000000 440000000000
world "volunteer/small.toml, 300 hosts" 3900 "$(volunteer small 300)" $((48 * hour)) $((144 * hour))
world "volunteer/eah.toml, 1,000 hosts" 1900 "$(volunteer eah 1000)" $((12 * hour)) $((24 * hour))
exit $status
