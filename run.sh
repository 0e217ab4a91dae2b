#!/usr/bin/env bash
# Builds dbandit and runs it; installs the Debian packages the build needs where they are missing.
#   ./run.sh              the paper's experiments, in a quick version: table, verdicts, figures
#   ./run.sh ARGUMENT…    dbandit with these arguments: its exit code, and nothing else on stdout
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=src/cmake/build.sh
. "$root/src/cmake/build.sh"

packages=("${program_packages[@]}")
target=dbandit
case "${1:-reproduce}" in
bench)
  packages+=(libbenchmark-dev gnuplot-nox)
  target=dbandit_benchmarks
  ;;
reproduce | sweep | plot | fit) packages+=(gnuplot-nox) ;;
esac
# Two programs are compared by the programs alone.
for argument; do
  case $argument in --against | --against=*) target=dbandit packages=("${program_packages[@]}") ;; esac
done
# The report page's chart library comes by npm, which is hundreds of small packages: only for who wants the page.
wants_page=
for argument; do
  case $argument in report | --report) wants_page=1 ;; esac
done
[ -z "$wants_page" ] || has npm || packages+=(npm)

build_program() {
  [ -z "$wants_page" ] || fetch_chart
  configured || configure -DDBANDIT_BUILD_TESTS=OFF -DDBANDIT_BUILD_BENCHMARKS=OFF
  [ $target = dbandit ] || grep -qx DBANDIT_BUILD_BENCHMARKS:BOOL=ON "$build/CMakeCache.txt" || configure -DDBANDIT_BUILD_BENCHMARKS=ON
  build_target $target
}

install_missing "${packages[@]}"
in_build_tree build_program

if [ $# = 0 ]; then
  set -- reproduce --quick
  say "dbandit $*"
fi
exec "$build/src/dbandit" "$@"
