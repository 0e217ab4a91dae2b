#!/usr/bin/env bash
# Builds dbandit and runs it; installs the Debian packages the build needs where they are missing.
#   ./run.sh              the paper's comparison on its low-rate problem, in a quick version
#   ./run.sh ARGUMENT…    dbandit with these arguments: its exit code, and nothing else on stdout
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=src/cmake/build.sh
. "$root/src/cmake/build.sh"

packages=(g++ cmake ninja-build git libtbb-dev libxsimd-dev libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  librandom123-dev libboost-math-dev)
target=dbandit
if [ "${1:-}" = bench ]; then
  packages+=(libbenchmark-dev gnuplot-nox)
  target=dbandit_benchmarks
fi
# The report page's chart library comes by npm, which is hundreds of small packages: only for who wants the page.
for argument; do
  case $argument in report | --report) has npm || packages+=(npm) ;; esac
done

build_program() {
  configured || configure -DDBANDIT_BUILD_TESTS=OFF -DDBANDIT_BUILD_BENCHMARKS=OFF
  [ $target = dbandit ] || grep -qx DBANDIT_BUILD_BENCHMARKS:BOOL=ON "$build/CMakeCache.txt" || configure -DDBANDIT_BUILD_BENCHMARKS=ON
  build_target $target
}

install_missing "${packages[@]}"
in_build_tree build_program

if [ $# = 0 ]; then
  set -- run --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000 --replicas 1000 \
    --policies d-klucb,d-ucb,discard-klucb,discard-ucb,ud-klucb,ud-ucb,uniform
  say "dbandit $*"
fi
exec "$build/src/dbandit" "$@"
