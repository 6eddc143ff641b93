#!/bin/sh
# Makes the picture of a sequence chart that stands in docs/sequence-chart.md: one job of the small
# scenario, of which an instance is lost. Needs a Chromium or Chrome; run it in the root of the repository,
# as in: docs/pictures/messages.sh [the program, default: cargo run --release --]
set -eu
browser=${MYRIAD_BROWSER:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ $# -eq 0 ]; then set -- cargo run --quiet --release --; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$@" run configs/volunteer/small.toml --set hosts=12 --until 3d --trace all --progress none -o "$folder/run"
# The first job of which an instance timed out.
job=$("$@" trace "$folder/run" 'kinds=instance_timed_out' --format csv | awk -F, 'NR == 2 { print $12 }')
"$@" view "$folder/run" -o "$folder/page.html"
for theme in light dark; do
  "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
    --window-size=1280,720 --virtual-time-budget=8000 --screenshot="$folder/$theme.png" \
    "file://$folder/page.html#job=$job&axis=compressed&theme=$theme" 2>/dev/null
done
mv "$folder/light.png" docs/pictures/messages.png
mv "$folder/dark.png" docs/pictures/messages-dark.png
echo "job $job: docs/pictures/messages.png, docs/pictures/messages-dark.png"
