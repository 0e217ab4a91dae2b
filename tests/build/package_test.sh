#!/usr/bin/env bash
# Makes the Debian package and looks into it; with a third argument installs it in a clean root of that name's release.
#   package_test.sh BUILD SCRATCH [RELEASE]
# Exits with 77, which ctest counts as skipped, where the tools or the rights are missing.
# shellcheck disable=SC2016 # apt and the shell in the clean root expand their own variables
set -euo pipefail
build=$1 scratch=$2 release=${3:-}
skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" && exit 1; }
for tool in cpack dpkg-deb dpkg-shlibdeps; do command -v $tool >/dev/null || skip "no $tool here"; done

rm -rf "$scratch"
mkdir -p "$scratch"
cpack --config "$build/CPackConfig.cmake" -B "$scratch" >"$scratch/cpack.log" 2>&1 || { cat "$scratch/cpack.log" && fail cpack; }
package=$(echo "$scratch"/dbandit_*.deb)
[ "$(dpkg-deb -f "$package" Package)" = dbandit ] || fail "the package is not called dbandit"
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libstdc++6 libtbb12 libfmt9 libnlopt0; do [[ $depends == *$library* ]] || fail "does not depend on $library: $depends"; done
contents=$(dpkg-deb -c "$package")
for file in bin/dbandit share/man/man1/dbandit.1 share/man/man1/dbandit-run.1 share/bash-completion/completions/dbandit \
  share/zsh/vendor-completions/_dbandit share/fish/vendor_completions.d/dbandit.fish lib/pkgconfig/dbandit.pc \
  lib/cmake/dbandit/dbanditConfig.cmake include/dbandit/sim/run.hpp share/doc/dbandit/copyright; do
  [[ $contents == *" ./usr/$file"$'\n'* || $contents == *" ./usr/$file" ]] || fail "has no /usr/$file"
done
[ -n "$release" ] || exit 0

# The root of the machine is never touched: debootstrap fetches a minimal Debian from where this one gets its packages.
[ "$(id -u)" = 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "no debootstrap here"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 2>/dev/null | awk -v r="$release" '$2 == r {print $1; exit}')
[ -n "$mirror" ] || skip "apt knows no source of $release"
root=$scratch/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
names=$(tr ',' '\n' <<<"$depends" | sed -E 's/ *\(.*//; s/ *\|.*//; s/^ +//' | paste -sd,)
debootstrap --variant=minbase --include="$names,man-db,bash-completion" "$release" "$root" "$mirror" >"$scratch/debootstrap.log" 2>&1 ||
  { tail -n 5 "$scratch/debootstrap.log" && skip "debootstrap failed, as it does without a network"; }
cp "$package" "$root/dbandit.deb"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 MANPAGER=cat bash -c "$1"; }
inside 'dpkg -i /dbandit.deb' >"$scratch/dpkg.log" 2>&1 || { cat "$scratch/dpkg.log" && fail "dpkg -i"; }
[[ $(inside 'dbandit --version') == "dbandit "* ]] || fail "dbandit --version"
[[ $(inside 'man dbandit') == *"dbandit-run(1)"* ]] || fail "man dbandit"
[[ $(inside 'man dbandit-run') == *"--policies"* ]] || fail "man dbandit-run"
[[ $(inside '. /usr/share/bash-completion/bash_completion; _completion_loader dbandit; COMP_WORDS=(dbandit run --pol); COMP_CWORD=2
  _dbandit; echo "${COMPREPLY[@]}"') == --policies ]] || fail "completion"
inside 'dbandit run --theta 0.5,0.3 --delay geometric:5 --censor 10 --horizon 100 --policies d-klucb --replicas 100 --out /r --quiet &&
  dbandit replay /r --quiet' | grep -q identical || fail "a run and its replay"
inside 'dpkg -r dbandit' >>"$scratch/dpkg.log" 2>&1 || { cat "$scratch/dpkg.log" && fail "dpkg -r"; }
! inside 'command -v dbandit' >/dev/null || fail "something is left after dpkg -r"
