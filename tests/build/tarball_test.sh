#!/usr/bin/env bash
# Makes the tarball and looks into it; with a third argument unpacks it in a clean root of that release and lets a user without rights run it.
#   tarball_test.sh BUILD SCRATCH [RELEASE]
set -euo pipefail
build=$1 scratch=$2 release=${3:-}
# shellcheck source=tests/build/clean_root.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/clean_root.sh"
rm -rf "$scratch"
mkdir -p "$scratch/unpacked"
cpack --config "$build/CPackConfig.cmake" -G TGZ -B "$scratch" >"$scratch/cpack.log" 2>&1 || { cat "$scratch/cpack.log" && fail cpack; }
tarball=$(echo "$scratch"/dbandit-*-linux-*.tar.gz)
name=$(basename "$tarball" .tar.gz)
! tar tf "$tarball" | grep -qv "^$name/" || fail "it unpacks beside its folder"
tar xf "$tarball" -C "$scratch/unpacked"
[[ $("$scratch/unpacked/$name/bin/dbandit" --version) == "dbandit "* ]] || fail "--version where it was unpacked"

# Every library is its own or one of the C and C++ runtime, for every program in it.
while IFS= read -r program; do
  strays=$(ldd "$program" | awk '{print $1}' | while IFS= read -r library; do
    case ${library##*/} in
    libc.so.6 | libm.so.6 | libgcc_s.so.1 | libstdc++.so.6 | linux-vdso.so.* | ld-linux*) ;;
    *) ldd "$program" | grep -F "$library => $scratch/unpacked/$name/" >/dev/null || echo "$library" ;;
    esac
  done)
  [ -z "$strays" ] || fail "${program##*/} takes from the machine: $strays"
done < <(find "$scratch/unpacked" -type f -perm -u+x ! -name '*.so*')
[ -n "$release" ] || exit 0

clean_root "$release"
mkdir -p "$root/home/user"
tar xf "$tarball" -C "$root/home/user" --no-same-owner
chown -R 1000:1000 "$root/home/user"
# A user without rights, whose path it is not on.
inside() { chroot --userspec=1000:1000 "$root" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 bash -c "cd /home/user && $1"; }
inside "mv $name moved" || fail "moving it"
works moved/bin/dbandit /home/user/r
if [ -f "$build/lib/dbandit/modules/mpi.so" ]; then # where there is no MPI, mpirun is the only one who asks for it
  line=$(inside 'OMPI_COMM_WORLD_RANK=0 moved/bin/dbandit --version' 2>&1 || true)
  [[ $line == "dbandit: mpi: "*"cannot be loaded (libmpi.so"* ]] || fail "without MPI: $line"
fi
