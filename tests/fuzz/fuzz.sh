#!/usr/bin/env bash
# Fuzzes the parsers of spec files and checkpoints with libFuzzer and AddressSanitizer, from the corpus beside this file.
#   tests/fuzz/fuzz.sh BUILD [SECONDS]     BUILD: a release build; SECONDS for each parser, 60 by default
# Needs clang (Debian: clang). The parsers are compiled by it; the rest of the library is taken from the build.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$here/../..
build=$(cd -- "$1" && pwd -P) seconds=${2:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

parsers=(core/file sim/checkpoint sim/codec sim/draft sim/frames sim/given sim/spec_file sim/until sim/validate stats/quantiles)
flags=(-std=c++20 -O1 -g -I"$root/include" -I"$root/src" -fsanitize=address,fuzzer-no-link -DFMT_SHARED)
objects=()
for parser in "${parsers[@]}"; do
  objects+=("$work/${parser//\//_}.o")
  clang++ "${flags[@]}" -c "$root/src/$parser.cpp" -o "${objects[-1]}"
done
for target in spec checkpoint; do
  clang++ "${flags[@]}" -fsanitize=fuzzer "$here/$target.cpp" "${objects[@]}" \
    -Wl,--start-group "$build"/src/libdbandit_*.a -Wl,--end-group -lfmt -ltbb -lmpi -o "$work/$target"
  mkdir "$work/$target.found"
  # New inputs go to the first folder; a crash, a hang of 10 s and an allocation of 64 MB end it.
  "$work/$target" "$work/$target.found" "$here/corpus/$target" -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=64 \
    -max_len=8192 -print_final_stats=1 -artifact_prefix="$PWD/" 2>"$work/$target.log" || { tail -n 40 "$work/$target.log" >&2; exit 1; }
  echo "survived: $(sed -n 's/stat::number_of_executed_units: *//p' "$work/$target.log") inputs of the $target parser in $seconds s"
done
