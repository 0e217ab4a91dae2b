#!/usr/bin/env bash
# Fetches the chart library of the report page by npm; the lock file holds its hash. The build takes it from there and touches no network
# itself. Does nothing where it was fetched already.
#   fetch.sh [FOLDER]     default: build/chart of the project, where every preset looks (-DDBANDIT_CHART=FOLDER)
set -euo pipefail
page=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
folder=${1:-$page/../../../build/chart}
wanted=$(sha256sum <"$page/package-lock.json")
wanted=${wanted%% *}
! [ -f "$folder/fetched" ] || [ "$(<"$folder/fetched")" != "$wanted" ] || exit 0
fail() { echo "${0##*/}: the report page has no chart library: $*" >&2 && exit 1; }
command -v npm >/dev/null || fail "npm is not installed (Debian: apt-get install npm)"

# Moved to its place when it is whole.
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
scratch=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cp "$page/package.json" "$page/package-lock.json" "$scratch"
said=$(cd "$scratch" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 2>&1 </dev/null) || fail "npm said: $said"
printf '%s\n' "$wanted" >"$scratch/fetched"
chmod 755 "$scratch"
rm -rf "$folder"
mv "$scratch" "$folder"
