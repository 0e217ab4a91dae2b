#!/usr/bin/env bash
# Makes packages from nothing, the report page included; installs the Debian packages that needs where they are missing.
#   package.sh deb                 Debian packages: dbandit, dbandit-mpi, libdbandit-dev, python3-dbandit
#   package.sh deb --arch arm64    those of 64-bit Arm, cross-compiled: dbandit and libdbandit-dev
#   package.sh wheel               the Python module as a wheel, for Debian's Python; for another: pip wheel --no-deps .
#   package.sh tarball             for machines without root: unpacked anywhere, runs on Debian 12 and newer with nothing installed
# Prints where they are.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=src/cmake/build.sh
. "$root/src/cmake/build.sh"
case "${1:-}" in
deb) pattern='*.deb' ;;
wheel) pattern='*.whl' ;;
tarball) pattern='*.tar.gz' ;;
*) say "'${1:-}' is not one of: deb wheel tarball" && exit 2 ;;
esac
packages=(libbenchmark-dev dpkg-dev file)
case "${2:-}" in
'') packages+=(pybind11-dev python3-dev python3-numpy) ;;
--arch)
  [ "$1" = deb ] || fail "--arch is for deb"
  build_for "${3:-}"
  packages+=("libbenchmark-dev:${3:-}" binutils-aarch64-linux-gnu)
  ;;
*) say "'$2' is not --arch" && exit 2 ;;
esac
packages+=("${program_packages[@]}")
has npm || packages+=(npm)

build_package() {
  bash "$root/src/report/page/fetch.sh" >&2 || fail "a package without the report page is not made"
  configured || configure -DDBANDIT_BUILD_TESTS=OFF
  configure -DDBANDIT_BUILD_BENCHMARKS=ON
  rm -rf "$build/packages"
  if [ "$1" = wheel ]; then
    build_wheel
  else
    build_target "$1"
  fi
}

# By the backend that pip calls (pyproject.toml), without pip.
build_wheel() {
  build_target dbandit_python
  mkdir -p "$build/packages"
  PYTHONPATH=$root/src/python /usr/bin/python3 -B -c 'import sys, wheel_backend; wheel_backend.build_wheel(sys.argv[1], {"build-dir": sys.argv[2]})' \
    "$build/packages" "$build" >&2 || fail "the wheel could not be made"
}

install_missing "${packages[@]}"
in_build_tree build_package "$1"
find "$build/packages" -maxdepth 1 -name "$pattern" | sort
