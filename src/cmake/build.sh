# shellcheck shell=bash
# Sourced by run.sh, test.sh and package.sh: the packages and the build. All it says goes to stderr; stdout is the program's.
: "${root:?the folder of the project}"
preset=release build=$root/build/release

# shellcheck disable=SC2034 # for those who source this
program_packages=(g++ cmake ninja-build git libtbb-dev libxsimd-dev libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  librandom123-dev libboost-math-dev libxxhash-dev libnlopt-dev libopenmpi-dev openmpi-bin)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
has() { command -v "$1" >/dev/null; }
fail() { say "$*" && exit 1; }

# build_for ARCH: the build is one for that architecture, in a tree of its own, and its packages are added to program_packages. Cross-compiled and run
# by QEMU, unless it is the machine's own.
build_for() {
  [ "$1" = arm64 ] || fail "--arch: '$1' is not one of: arm64"
  [ "$(dpkg --print-architecture)" != arm64 ] || return 0
  preset=arm64 build=$root/build/arm64
  program_packages+=(g++-aarch64-linux-gnu qemu-user-static libtbb-dev:arm64 libfmt-dev:arm64 libnlopt-dev:arm64)
}

# install_missing PACKAGE…: silent when they are all there. PACKAGE:ARCH is one of another architecture.
install_missing() {
  command -v dpkg-query >/dev/null || return 0 # not Debian: CMake says what it misses
  local missing as_root=() log own foreign
  own=$(dpkg --print-architecture)
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${@%":$own"}" | sort -u) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}:${Architecture}\n' "$@" 2>/dev/null | sed -nE "s/^installed //; T; s/:($own|all)\$//; p" | sort -u))
  [ ${#missing[@]} != 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  log=$(mktemp)
  for foreign in $(printf '%s\n' "${missing[@]}" | sed -n 's/.*://p' | sort -u); do
    "${as_root[@]}" dpkg --add-architecture "$foreign"
  done
  # A source that cannot be reached need not be the one that is needed: what cannot be installed is said by the second.
  "${as_root[@]}" apt-get update -qq >"$log" 2>&1 </dev/null || true
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install them"
  fi
  rm -f "$log"
}

# A compiler takes up to 1.5 GB for a file: fewer at once where memory is short.
jobs_at_once() {
  local cpus memory
  cpus=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "${memory:-0}" -ge 1 ] || memory=1
  echo $((cpus < memory ? cpus : memory))
}

# One more than there are cores: some tests only wait.
tests_at_once() { echo $(($(nproc) + 1)); }

# Whether there is a build tree, of this folder and not of the one it was copied from.
configured() { [ -f "$build/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; }

configure() {
  local log=$build/configure.log fresh=()
  configured || fresh=(--fresh)
  cmake -S "$root" --preset "$preset" "${fresh[@]}" "$@" >"$log" 2>&1 && return
  tail -n 30 "$log" >&2
  fail "configuring failed; all of it is in $log"
}

# Keeps Ninja's output for the log; says once that it builds, and on a terminal how far it is.
show_progress() {
  local line told=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^(\[[0-9]+/[0-9]+\])\ (Building|Linking) ]] || continue
    [ -n "$told" ] || say "building in build/$preset"
    told=1
    [ ! -t 2 ] || printf '\r%s' "${BASH_REMATCH[1]}" >&2
  done
  [ -z "$told" ] || [ ! -t 2 ] || printf '\r\033[K' >&2
}

# in_build_tree COMMAND…: one at a time, so that two calls of a script do not build over each other.
in_build_tree() {
  mkdir -p "$build" || fail "cannot write to $build"
  (flock 9 && "$@") 9>"$build/.lock" || exit 1
}

# The one step that fetches anything but Debian packages: the chart library of the report page. Without it all but that page works.
fetch_chart() { bash "$root/src/report/page/fetch.sh" >&2 || true; }

build_target() {
  local log=$build/build.log
  ninja -C "$build" -j "$(jobs_at_once)" "$1" 2>&1 | show_progress >"$log"
  [ "${PIPESTATUS[0]}" != 0 ] || return 0
  grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" | tail -n 40 >&2
  fail "the build failed; all of it is in $log"
}
