#!/bin/sh
# Every golden spec, on both engines, and 50 random runs give the bytes that are stored, whatever the processor.
#   same_bytes_test.sh GOLDEN_FOLDER COMMAND…     the program, after what runs it: an emulator, say
# TARGET=avx2 in the environment: that target, and no reference. Any POSIX shell: it also runs inside an emulated machine.
golden=$1 && shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
same=0 failed=0
flags="--threads 1 --csv --quiet${TARGET:+ --target $TARGET}"
for spec in "$golden"/*/spec.toml; do
  for engine in simd reference; do
    curve=${spec%spec.toml}curve.$engine.csv
    [ -f "$curve" ] || continue
    [ $engine = simd ] || [ -z "$TARGET" ] || continue
    # shellcheck disable=SC2086 # flags are words
    if "$@" run "$spec" --engine $engine $flags >"$scratch/curve" 2>"$scratch/log" </dev/null && cmp "$scratch/curve" "$curve"; then
      same=$((same + 1))
    else
      failed=$((failed + 1)) && echo "not the same: $curve" && cat "$scratch/log"
    fi
  done
done
echo "$same golden curves are the same"
random=0
while read -r digest run; do
  [ "$digest" != "#" ] || continue
  # shellcheck disable=SC2086
  if "$@" run $run $flags >"$scratch/curve" 2>"$scratch/log" </dev/null && [ "$(sha256sum <"$scratch/curve")" = "$digest  -" ]; then
    random=$((random + 1))
  else
    failed=$((failed + 1)) && echo "not the same: run $run" && cat "$scratch/log"
  fi
done <"$golden/random.txt"
echo "$random random runs are the same"
[ $failed = 0 ] && [ $same -gt 20 ] && [ $random = 50 ]
