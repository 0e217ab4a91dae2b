#!/usr/bin/env bash
# The avx512 target gives the stored bytes (same_bytes_test.sh) and passes the kernel's unit tests: on this CPU where it has AVX-512,
# else, or with --emulated, on an emulated Skylake-X (Bochs): slow (about 1/200 of native), exact.
#   avx512_test.sh DBANDIT TEST_KERNEL GOLDEN_FOLDER [--emulated]
# Exit 77, skipped: neither AVX-512 nor what the emulated machine is made of (Debian: bochs bochs-term bochsbios vgabios isolinux
# syslinux-common xorriso busybox-static cpio, and a kernel, which apt-get downloads).
set -euo pipefail
program=$1 tests=$2 golden=$3 emulated=${4:-}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT

# What is run, by bash here and by busybox there. That avx512 ran, and not another target under its name, is what AForcedTarget.* says: its
# rounds leave the name of the instruction set that they were compiled for.
cat >"$work/script" <<'SCRIPT'
failed=0
TARGET=avx512 sh "$BYTES" "$GOLDEN" dbandit || failed=1
test_kernel --gtest_brief=1 --gtest_filter="$FILTER" || failed=1
exit $failed
SCRIPT
bytes=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/same_bytes_test.sh
everything='*avx512*:AForcedTarget.*:Targets.*'
# Emulated without those that would take an hour each.
quick="$everything:-*FilteredDecisions*:*Quantiles.AreEstimated*:*Quantiles.DecideAs*:*KnifesEdge*:*IdleArm.Keeps*"

if [ -z "$emulated" ] && grep -qw avx512bw /proc/cpuinfo && "$program" list targets | grep -q '^avx512 .*has it'; then
  echo "this CPU has AVX-512"
  mkdir "$work/bin"
  ln -s "$program" "$work/bin/dbandit"
  ln -s "$tests" "$work/bin/test_kernel"
  cd "$work" && PATH=$work/bin:$PATH GOLDEN=$golden BYTES=$bytes FILTER=$everything bash ./script
  exit
fi

skip() { echo "skipped: $*" && exit 77; }
for command in bochs xorriso busybox cpio script apt-get; do command -v "$command" >/dev/null || skip "there is no $command"; done
for file in /usr/share/bochs/BIOS-bochs-latest /usr/share/vgabios/vgabios.bin /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32; do
  [ -f "$file" ] || skip "there is no $file"
done
package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image/ {print $2; exit}')
[ -n "$package" ] || skip "no package linux-image-cloud-amd64"
(cd "$work" && apt-get download -qq "$package" && dpkg-deb -x linux-image*.deb kernel) >/dev/null 2>&1 || skip "$package cannot be downloaded"
echo "an emulated Skylake-X"

# The machine: a kernel, and a root in memory with the two programs, their libraries and the golden cases.
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp,lib64,golden}
cp "$(command -v busybox)" "$root/bin/busybox"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp -r "$golden/." "$root/golden/"
for file in "$program" "$tests"; do
  cp -L "$file" "$root/bin/"
  strip "$root/bin/$(basename "$file")"
  ldd "$file" | awk '$3 ~ /^\// {print $3}' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -Ln "$library" "$root$library"
  done
done
cp "$work/script" "$bytes" "$root/"
cat >"$root/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
export HOME=/tmp NO_COLOR=1 PATH=/bin GOLDEN=/golden BYTES=/same_bytes_test.sh FILTER='$quick'; cd /tmp
echo 1 > /proc/sys/kernel/printk
{ echo '<<<'; dbandit list targets; sh /script; echo ">>> \$?"; } >/dev/ttyS0 2>&1 </dev/null
poweroff -f
INIT
chmod +x "$root/init"
mkdir -p "$work/iso/isolinux"
(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/iso/initrd.gz"
cp "$work"/kernel/boot/vmlinuz* "$work/iso/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/iso/isolinux/"
# Linux finds Bochs' sizes of the compacted XSAVE format inconsistent and would switch vectors off: the plain format instead.
cat >"$work/iso/isolinux/isolinux.cfg" <<'CFG'
DEFAULT l
PROMPT 0
LABEL l
 KERNEL /vmlinuz
 APPEND initrd=/initrd.gz console=ttyS0,115200 quiet loglevel=1 mitigations=off nokaslr tsc=reliable clearcpuid=xsaves,xsavec lpj=1000000 random.trust_cpu=on audit=0
CFG
xorriso -as mkisofs -quiet -o "$work/boot.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$work/iso" 2>/dev/null
cat >"$work/bochsrc" <<RC
display_library: term
config_interface: textconfig
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_skylake_x, count=1, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest=1024, host=1024
ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial
clock: sync=none, time0=local
log: $work/log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
RC
echo c >"$work/go"
(cd "$work" && TERM=xterm exec setsid script -qfc "bochs -q -f bochsrc -rc go" "$work/screen") >/dev/null 2>&1 </dev/null &
pid=$!
shown=0 code=
while [ -z "$code" ]; do
  sleep 2
  running=yes
  kill -0 "$pid" 2>/dev/null || running=
  [ ! -f "$work/serial" ] || tr -d '\r' <"$work/serial" | sed -n '/^<<<$/,$p' | sed 1d >"$work/text"
  [ -f "$work/text" ] || continue
  code=$(sed -n 's/^>>> \([0-9]*\)$/\1/p' "$work/text" | head -n 1)
  lines=$(grep -vc '^>>> ' "$work/text" || true)
  [ "$lines" -le "$shown" ] || grep -v '^>>> ' "$work/text" | sed -n "$((shown + 1)),${lines}p"
  shown=$lines
  [ -n "$running" ] || [ -n "$code" ] || { echo "the emulated machine ended without a word; its screen:" && tail -c 2000 "$work/screen" && exit 1; }
done
exit "$code"
