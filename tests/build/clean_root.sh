# shellcheck shell=bash
# Sourced by the package tests: a minimal Debian in $scratch/root, from where this machine gets its packages. The root of the machine is never
# touched. Exit 77, which ctest counts as skipped, where the tools or the rights are missing.
: "${scratch:?a folder for the root}"
skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" && exit 1; }
root=$scratch/root

leave_clean_root() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}

# clean_root RELEASE [PACKAGE,…]
clean_root() {
  [ "$(id -u)" = 0 ] || skip "needs root"
  command -v debootstrap >/dev/null || skip "no debootstrap here"
  local mirror
  # shellcheck disable=SC2016 # apt expands them
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null | head -n 1)
  [ -n "$mirror" ] || skip "apt knows no source of Debian"
  trap leave_clean_root EXIT
  debootstrap --variant=minbase ${2:+--include="$2"} "$1" "$root" "$mirror" >"$scratch/debootstrap.log" 2>&1 ||
    { tail -n 5 "$scratch/debootstrap.log" && skip "debootstrap failed, as it does without a network"; }
  mount -t proc proc "$root/proc" || skip "cannot mount /proc"
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 MANPAGER=cat bash -c "$1"; }

# works PROGRAM FOLDER: version, a run, its replay, its page, and the benchmarks.
works() {
  [[ $(inside "$1 --version") == "dbandit "* ]] || fail "$1 --version"
  inside "$1 run --theta 0.5,0.3 --delay geometric:5 --censor 10 --horizon 100 --policies d-klucb --replicas 100 --out $2 --quiet" || fail "a run"
  inside "$1 replay $2 --quiet" | grep -q identical || fail "its replay"
  if [[ $(inside "$1 report $2" 2>&1) != *"built without the chart library"* ]]; then
    inside "grep -q uPlot $2/report.html" || fail "its page"
  fi
  inside "$1 bench --smoke --out $2/bench" >"$scratch/bench.log" 2>&1 || { cat "$scratch/bench.log" && fail "bench"; }
}
