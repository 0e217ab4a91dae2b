#!/usr/bin/env bash
# Builds everything and runs the tests; installs the Debian packages that needs where they are missing.
#   ./test.sh              all but the slow ones
#   ./test.sh --all        the slow ones too
#   ./test.sh ARGUMENT…    passed to ctest, as in: ./test.sh -R Exposure
#   ./test.sh --arch arm64 [ARGUMENT…]   cross-compiled for 64-bit Arm and run by QEMU: what results are made of, and their bytes
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=src/cmake/build.sh
. "$root/src/cmake/build.sh"

build_everything() {
  ! has npm || fetch_chart
  configure -DDBANDIT_BUILD_TESTS=ON -DDBANDIT_BUILD_BENCHMARKS=$benchmarks
  build_target all
}

selection=(-LE slow) benchmarks=ON
arguments=()
packages=("${program_packages[@]}" libgtest-dev libbenchmark-dev pybind11-dev python3-dev python3-numpy gnuplot-nox groff-base)
if [ "${1:-}" = --arch ]; then
  build_for "${2:-}"
  packages=("${program_packages[@]}" libgtest-dev:arm64)
  benchmarks=OFF
  shift 2
fi
for argument; do
  if [ "$argument" = --all ]; then selection=(); else arguments+=("$argument"); fi
done
# The slow tests look at the report page in a browser.
if [ ${#selection[@]} = 0 ]; then
  has npm || packages+=(npm)
  has chromium || packages+=(chromium)
fi

install_missing "${packages[@]}"
in_build_tree build_everything
say "ctest ${selection[*]} ${arguments[*]}"
exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(tests_at_once)" "${selection[@]}" "${arguments[@]}"
