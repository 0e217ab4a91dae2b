#!/usr/bin/env bash
# Fuzzes what reads files from outside with libFuzzer under sanitizers, each target from its folder of corpus/, all at the same time.
#   tests/fuzz/fuzz.sh BUILD [SECONDS]     BUILD: a build by clang (cmake --preset checked); SECONDS for each target, 60 by default
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
build=$(cd -- "$1" && pwd -P) seconds=${2:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ninja -C "$build" fuzzers >"$work/log" 2>&1 || { tail -n 40 "$work/log" && exit 1; }

declare -A running
for corpus in "$here"/corpus/*; do
  target=${corpus##*/}
  mkdir "$work/$target.found"
  # New inputs go to the first folder; a crash, a hang of 10 s and an allocation of 64 MB end it, and the input is kept here.
  "$build/tests/fuzz/fuzz_$target" "$work/$target.found" "$corpus" -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=64 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$PWD/fuzz_$target-" >"$work/$target.log" 2>&1 &
  running[$target]=$!
done
status=0
for target in "${!running[@]}"; do
  if wait "${running[$target]}"; then
    echo "survived: $(sed -n 's/stat::number_of_executed_units: *//p' "$work/$target.log") inputs of the $target target in $seconds s"
  else
    tail -n 40 "$work/$target.log"
    echo "FAILED: the $target target"
    status=1
  fi
done
exit $status
