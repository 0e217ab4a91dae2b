#!/usr/bin/env bash
# run.sh, test.sh and package.sh in a copy of the project's scripts, on a machine whose package manager and build tools only write
# down what they are asked: nothing is installed and nothing is built.
#   scripts_test.sh PROJECT
# shellcheck disable=SC2016 # the tools expand their own variables
set -euo pipefail
project=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here="$scratch/a copy" calls=$scratch/calls status=0
mkdir -p "$here/src/cmake" "$here/src/report/page" "$scratch/bin"
cp "$project/run.sh" "$project/test.sh" "$here"
cp "$project"/src/cmake/{build,package}.sh "$here/src/cmake"
cp "$project"/src/report/page/{fetch.sh,package.json,package-lock.json} "$here/src/report/page"

tool() {
  printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
tool dpkg-query 'shift 2; for package; do [[ " $ABSENT " == *" $package "* ]] || echo "installed $package"; done'
tool apt-get 'echo "apt-get $*" >>"$CALLS"; exit "${APT_STATUS:-0}"'
tool sudo 'echo sudo >>"$CALLS"; exec "$@"'
tool id 'echo "${USER_ID:-0}"'
tool dpkg 'echo amd64; [ "$1" = --print-architecture ] || echo "dpkg $*" >>"$CALLS"'
tool cmake 'echo "cmake $*" >>"$CALLS"; b=$HERE/build/release; [[ "$*" != *"--preset arm64"* ]] || b=$HERE/build/arm64; mkdir -p "$b/src"; touch "$b/build.ninja"
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$HERE" >"$b/CMakeCache.txt"'
tool ninja 'echo "ninja ${*: -1}" >>"$CALLS"; [ -z "${BROKEN:-}" ] || { echo "[1/2] Building CXX object a"; echo "a.cpp:1: error: why"; exit 1; }
  printf "#!/bin/bash\n%s\n" "echo \"program\$(printf \" <%s>\" \"\$@\")\"; exit 7" >"$HERE/build/release/src/dbandit"
  chmod +x "$HERE/build/release/src/dbandit"'
tool ctest 'echo "ctest $*" >>"$CALLS"; exit 8'

# The tools of this machine without those whose absence is tested.
mkdir "$scratch/host"
find /usr/bin /bin /usr/local/bin -maxdepth 1 ! -type d -exec ln -sft "$scratch/host" {} +
rm -f "$scratch/host"/{npm,node,nodejs,chromium}

# attempt SCRIPT ARGUMENT…: from another folder; leaves code, out, err and the calls of the tools.
attempt() {
  : >"$calls"
  code=0
  (cd / && PATH="$scratch/bin:$scratch/host" HERE=$here CALLS=$calls ABSENT=${ABSENT:-} bash "$here/$1" "${@:2}") >"$scratch/out" 2>"$scratch/err" || code=$?
  out=$(<"$scratch/out") err=$(<"$scratch/err")
}
expect() { # WHAT ACTUAL PATTERN
  # shellcheck disable=SC2053 # the right side is a pattern
  if [[ $2 != $3 ]]; then
    printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$3" "$2"
    status=1
  fi
}

attempt run.sh bounds --theta '0.5, 0.4'
expect "arguments reach the program as they are, and stdout is its own" "$out" "program <bounds> <--theta> <0.5, 0.4>"
expect "the program's exit code is the script's" "$code" 7
expect "the first call configures without tests and builds the program alone" "$(<"$calls")" "cmake *--preset release*-DDBANDIT_BUILD_TESTS=OFF*ninja dbandit"
expect "nothing to say when nothing is missing or compiled" "$err" ""

attempt run.sh --version
expect "the second call does not configure" "$(<"$calls")" "ninja dbandit"

attempt run.sh
expect "alone it reproduces the paper" "$out" "program <reproduce> <--quick>"
expect "and says what it runs" "$err" "run.sh: dbandit reproduce --quick"

ABSENT="gnuplot-nox" attempt run.sh bench --quick
expect "bench is given its packages and its programs" "$(tr '\n' ' ' <"$calls")" "*apt-get install*gnuplot-nox cmake *-DDBANDIT_BUILD_BENCHMARKS=ON ninja dbandit_benchmarks*"
expect "and runs like any other command" "$out" "program <bench> <--quick>"

ABSENT=npm attempt run.sh reproduce fig1 --report
expect "a page is given npm" "$(<"$calls")" "*apt-get install* npm*ninja dbandit"
expect "and where that did not help, a line says so and the program runs" "$code:$err" "7:*fetch.sh: the report page has no chart library: npm is not installed*"
tool npm 'echo "npm $1 in ${PWD%/*}" >>"$CALLS"; exit "${NPM_STATUS:-0}"'
ABSENT=npm NPM_STATUS=1 attempt run.sh report there
expect "what npm cannot fetch is said, and left for the next call" "$code:$err" "7:*has no chart library: npm said: *"
ABSENT=npm attempt run.sh report there
expect "npm is not installed where there is one already, whoever brought it, and fetches before the build" "$(tr '\n' ' ' <"$calls")" "npm ci in $here/build ninja dbandit "
attempt run.sh report there
expect "once" "$(<"$calls")" "ninja dbandit"
rm -rf "$here/build/chart"
attempt run.sh --version
expect "for a page only" "$(<"$calls")" "ninja dbandit"
rm "$scratch/bin/npm"

ABSENT="libfmt-dev g++" attempt run.sh --version
expect "only what is missing is installed" "$(grep -c . "$calls") $(grep 'apt-get install' "$calls")" "3 apt-get install *--no-install-recommends* DPkg::Lock::Timeout=300 g++ libfmt-dev"
expect "in one line" "$err" "run.sh: installing g++ libfmt-dev"

ABSENT=cmake USER_ID=1000 attempt run.sh --version
expect "by sudo when not root" "$(tr '\n' ' ' <"$calls")" "sudo apt-get update* sudo apt-get install*cmake ninja*"

ABSENT=cmake APT_STATUS=100 attempt run.sh --version
expect "what cannot be installed ends it" "$code:$out:$(grep -c ninja "$calls")" "1::0"

BROKEN=1 attempt run.sh --version
expect "a failed build ends it, with the compiler's words on stderr" "$code:$out:$err" "1::*a.cpp:1: error: why*the build failed*"

echo "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere" >"$here/build/release/CMakeCache.txt"
attempt run.sh --version
expect "a build tree that was copied along is made anew" "$(<"$calls")" "cmake *--fresh*ninja dbandit"

attempt test.sh -R Exposure
expect "test.sh builds all, leaves out the slow tests, passes arguments on" "$(<"$calls")" \
  "cmake *-DDBANDIT_BUILD_TESTS=ON*ninja all*ctest *-LE slow -R Exposure"
expect "its exit code is ctest's" "$code" 8
ABSENT="libtbb-dev:arm64" attempt test.sh --arch arm64 -R Exposure
expect "another architecture is a build of its own: its packages, its preset, its tests" "$(tr '\n' ' ' <"$calls")" \
  "dpkg --add-architecture arm64 apt-get update * apt-get install * libtbb-dev:arm64 cmake *--preset arm64*-DDBANDIT_BUILD_TESTS=ON*ninja all ctest --test-dir $here/build/arm64 *-LE slow -R Exposure "
attempt test.sh --arch vax
expect "of those there are" "$code:$err" "1:test.sh: --arch: 'vax' is not one of: arm64"
ABSENT="npm chromium" attempt test.sh --all
expect "--all wants a browser and what its page is made with" "$(<"$calls")" "*apt-get install* chromium npm*"
expect "--all runs them all" "$(grep -c slow "$calls") $(tail -n 1 "$calls")" "0 ctest *--output-on-failure*"

# .ci/run with parts of its own names: one that fails, one that passes, one whose package is missing.
mkdir -p "$here/.ci"
cp "$project/.ci/run" "$here/.ci"
printf '%s\n' 'gate_format() { false; echo "went on"; }' 'gate_shell() { echo fine; }' >"$here/.ci/gates.sh"
attempt .ci/run --only format --only shell
expect "a part that fails is in the table, later parts are run, and the exit code says so" "$code:$out" "1:*fine*format   FAILED*shell    passed*all*"
expect "a part ends at its first failing command" "$(grep -c "went on" <<<"$out")" 0
attempt .ci/run --only shell
expect "parts that pass are exit 0" "$code" 0
ABSENT=shellcheck attempt .ci/run --only shell
expect "a part's packages are installed" "$(<"$calls")" "*apt-get install*shellcheck"
attempt .ci/run --only nothing
expect "an unknown part is refused with the names of all" "$code:$err" "1:run: --only: 'nothing' is not one of: tests format shell*"

ABSENT=npm attempt src/cmake/package.sh tarball
expect "no package is made without its report page" "$code:$(grep -c ninja "$calls"):$err" "1:0:*npm is not installed*a package without the report page is not made"
tool npm 'echo npm >>"$CALLS"'
tool ninja 'echo "ninja ${*: -1}" >>"$CALLS"; mkdir -p "$HERE/build/release/packages"; touch "$HERE/build/release/packages/made.tar.gz"'
attempt src/cmake/package.sh tarball
expect "a package has its page and its benchmarks" "$(tr '\n' ' ' <"$calls")" "npm cmake *-DDBANDIT_BUILD_BENCHMARKS=ON ninja tarball "
expect "and prints where it is" "$code:$out" "0:$here/build/release/packages/made.tar.gz"
tool ninja 'echo "ninja ${*: -1}" >>"$CALLS"; mkdir -p "$HERE/build/arm64/packages"; touch "$HERE/build/arm64/packages/made_arm64.deb"'
attempt src/cmake/package.sh deb --arch arm64
expect "a package of another architecture is made in its own tree" "$code:$out:$(tr '\n' ' ' <"$calls")" "0:$here/build/arm64/packages/made_arm64.deb:*--preset arm64*ninja deb "
attempt src/cmake/package.sh tarball --arch arm64
expect "if it is Debian's" "$code:$err" "1:package.sh: --arch is for deb"
attempt src/cmake/package.sh zip
expect "of the kinds there are" "$code:$err" "2:package.sh: 'zip' is not one of: deb wheel tarball"

exit $status
