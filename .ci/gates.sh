# shellcheck shell=bash
# The parts of .ci/run, one function each: gate_PART passes when it returns 0. They are run in the project's folder, each in a shell of its
# own under `set -euo pipefail`; the table of .ci/run names them.

# configured_as PRESET [-D…]: configures build/PRESET.
configured_as() { cmake --preset "$1" "${@:2}" >/dev/null || fail "cmake --preset $1 failed"; }
# built PRESET TARGET…: what the compiler says is shown only when it fails.
built() {
  local preset=$1 log
  shift
  log=build/$preset/build.log
  ninja -C "build/$preset" -j "$(jobs_at_once)" "$@" >"$log" 2>&1 && return
  grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" | tail -n 60
  fail "the build failed; all of it is in $log"
}
tested() { ctest --test-dir "build/$1" --output-on-failure --no-tests=error -j "$(tests_at_once)" "${@:2}"; }

# in_shares PROGRAM [FLAG…]: the tests of a gtest program, an equal share on each core.
in_shares() {
  local shares share running=()
  shares=$(nproc)
  for ((share = 0; share < shares; ++share)); do
    GTEST_TOTAL_SHARDS=$shares GTEST_SHARD_INDEX=$share "$@" --gtest_brief=1 &
    running+=($!)
  done
  for share in "${running[@]}"; do wait "$share"; done
}

gate_tests() { ./test.sh; }

gate_format() { git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format --dry-run --Werror; }

gate_shell() { git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck -x; }

gate_checked() {
  configured_as checked -DDBANDIT_BUILD_BENCHMARKS=OFF
  built checked all
  # Left out, besides the statistics: what installs, packs and lists symbols (a sanitizer has its own), what measures memory (a sanitizer's own
  # would be counted), and what preloads a library or limits the address space (a sanitizer's runtime must come first, and reserves terabytes).
  local without='^(Install|Package|Tarball|Headers|Scripts|Memory|CLibrary)\.|^Ranks\.OneThatCannotStore|^Out\.OfASpecBeyondTheLimit|^Checkpoint\.ThatDoesNotBegin|^Every/Inputs\.'
  # Open MPI does not free what MPI_Init took: no leaks are looked for where a test starts mpirun.
  local with_mpirun='^(Ranks|Ways|Kills|Readme|MpiModule)\.|Pages\.'
  tested checked -LE 'slow|statistics' -E "$without|$with_mpirun"
  ASAN_OPTIONS=detect_leaks=0 tested checked -LE slow -R "$with_mpirun" -E "$without"
}

gate_threads() {
  configured_as tsan -DDBANDIT_BUILD_BENCHMARKS=OFF
  built tsan test_sim planted_race
  in_shares build/tsan/tests/test_sim "--gtest_filter=-Memory.*" # the sanitizer's own would be counted
  # A sanitizer that finds nothing has proved nothing until it was seen to find something.
  if build/tsan/tests/planted_race >build/tsan/planted_race.log 2>&1; then fail "ThreadSanitizer did not find the planted race"; fi
  grep -q 'WARNING: ThreadSanitizer: data race' build/tsan/planted_race.log || fail "the planted race ended otherwise: $(tail -n 3 build/tsan/planted_race.log)"
}

gate_fuzz() {
  configured_as checked -DDBANDIT_BUILD_BENCHMARKS=OFF
  tests/fuzz/fuzz.sh build/checked 60
}

gate_tidy() {
  configured_as checked -DDBANDIT_BUILD_BENCHMARKS=OFF
  built checked dbandit_commit dbandit_page
  # As they are compiled: six files of a folder as one take a quarter of the time of six. Files that exist once per instruction set are read for one of
  # them; the Python module is not part of this build. That one includes .cpp files is what compiling several as one is.
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/checked/compile_commands.json | sort -u | grep -E "^$PWD/(build/checked/)?src/" |
    grep -vE '/src/examples/|/target_(avx2|avx512|neon)\.cpp$|/cmake_pch|/generated/dbandit_headers' |
    tr '\n' '\0' | xargs -0 -n 2 -P "$(jobs_at_once)" clang-tidy -p build/checked --quiet --warnings-as-errors='*' --checks=-bugprone-suspicious-include \
    2> >(grep -v ' warnings generated' >&2 || true)
}
