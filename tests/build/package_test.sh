#!/usr/bin/env bash
# Makes the Debian packages and looks into them; with a third argument installs them in a clean root of that release.
#   package_test.sh BUILD SCRATCH [RELEASE]
# Exits with 77, which ctest counts as skipped, where the tools or the rights are missing.
# shellcheck disable=SC2016 # apt and the shell in the clean root expand their own variables
set -euo pipefail
build=$1 scratch=$2 release=${3:-}
# shellcheck source=tests/build/clean_root.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/clean_root.sh"
for tool in cpack dpkg-deb dpkg-shlibdeps file; do command -v $tool >/dev/null || skip "no $tool here"; done

rm -rf "$scratch"
mkdir -p "$scratch"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch" >"$scratch/cpack.log" 2>&1 || { cat "$scratch/cpack.log" && fail cpack; }

# has PACKAGE FILE…, needs PACKAGE DEPENDENCY…
has() {
  local contents
  contents=$(dpkg-deb -c "$scratch/$1"_*.deb)
  for file in "${@:2}"; do grep -qE " \./usr/$file\$" <<<"$contents" || fail "$1 has no /usr/$file"; done
}
needs() {
  local depends
  depends=$(dpkg-deb -f "$scratch/$1"_*.deb Depends)
  for package in "${@:2}"; do [[ ", $depends" == *", $package"* ]] || fail "$1 does not depend on $package: $depends"; done
}
has dbandit bin/dbandit lib/dbandit/bench_all share/man/man1/dbandit.1.gz share/man/man1/dbandit-run.1.gz share/bash-completion/completions/dbandit \
  share/zsh/vendor-completions/_dbandit share/fish/vendor_completions.d/dbandit.fish share/doc/dbandit/copyright
needs dbandit libc6 libstdc++6 libtbb12 libfmt9 libnlopt0 libbenchmark1
[[ $(dpkg-deb -f "$scratch"/dbandit_*.deb Depends) != *mpi* ]] || fail "dbandit depends on MPI"
has libdbandit-dev 'lib/.*/pkgconfig/dbandit.pc' lib/cmake/dbandit/dbanditConfig.cmake include/dbandit/sim/run.hpp lib/libdbandit_sim.a
needs libdbandit-dev libtbb-dev libfmt-dev libnlopt-dev
expected=(dbandit libdbandit-dev)
if [ -f "$build/lib/dbandit/modules/mpi.so" ]; then
  has dbandit-mpi lib/dbandit/modules/mpi.so
  needs dbandit-mpi "dbandit (= " openmpi-bin libopenmpi
  expected+=(dbandit-mpi)
fi
if [ -f "$build/python/dbandit/__init__.pyi" ]; then
  has python3-dbandit lib/python3/dist-packages/dbandit/__init__.py 'lib/python3/dist-packages/dbandit/_engine.*\.so'
  needs python3-dbandit "python3 (>= 3." "python3 (<< 3." python3-numpy libtbb12
  expected+=(python3-dbandit)
fi
[ -n "$release" ] || exit 0

# Nothing of Debian's policy is broken; what is informational stands in docs/cluster.md.
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$scratch"/*.deb >"$scratch/lintian.log" 2>&1 || { cat "$scratch/lintian.log" && fail lintian; }
fi

names=man-db,bash-completion
for package in "${expected[@]}"; do
  [ "$package" = libdbandit-dev ] ||
    names+=,$(dpkg-deb -f "$scratch/$package"_*.deb Depends | tr ',' '\n' | sed -E 's/ *\(.*//; s/ *\|.*//; s/^ +//' | grep -v '^dbandit$' | paste -sd,)
done
clean_root "$release" "$names"
install=()
for package in "${expected[@]}"; do
  [ "$package" = libdbandit-dev ] || install+=("$package")
done
for package in "${install[@]}"; do cp "$scratch/$package"_*.deb "$root/$package.deb"; done
inside "dpkg -i ${install[*]/%/.deb}" >"$scratch/dpkg.log" 2>&1 || { cat "$scratch/dpkg.log" && fail "dpkg -i"; }
works dbandit /r
[[ $(inside 'man dbandit') == *"dbandit-run(1)"* ]] || fail "man dbandit"
[[ $(inside 'man dbandit-run') == *"--policies"* ]] || fail "man dbandit-run"
# shellcheck disable=SC2016 # the shell inside expands them
[[ $(inside '. /usr/share/bash-completion/bash_completion; _completion_loader dbandit; COMP_WORDS=(dbandit run --pol); COMP_CWORD=2
  _dbandit; echo "${COMPREPLY[@]}"') == --policies ]] || fail "completion"
if [[ " ${install[*]} " == *" python3-dbandit "* ]]; then
  inside "python3 -c 'import dbandit; r = dbandit.run(theta=[0.5, 0.3], delay=\"geometric:5\", censor=10, horizon=100, policies=[\"d-klucb\"], replicas=100); print(r)'" \
    >"$scratch/python.log" 2>&1 || { cat "$scratch/python.log" && fail "import dbandit"; }
fi
if [[ " ${install[*]} " == *" dbandit-mpi "* ]]; then
  run='dbandit run --theta 0.5,0.3 --delay geometric:5 --censor 10 --horizon 100 --policies d-klucb --replicas 1000 --csv --quiet'
  [ "$(inside "OMPI_MCA_plm_rsh_agent= mpirun --allow-run-as-root --oversubscribe -n 2 $run")" = "$(inside "$run")" ] || fail "mpirun"
fi
inside "dpkg -r ${install[*]}" >>"$scratch/dpkg.log" 2>&1 || { cat "$scratch/dpkg.log" && fail "dpkg -r"; }
! inside 'command -v dbandit' >/dev/null || fail "something is left after dpkg -r"
left=$(inside 'find /usr /etc /var/lib -path "*dbandit*"')
[ -z "$left" ] || fail "left after dpkg -r: $left"
