#!/usr/bin/env bash
# QEMU: the CPU model `max`, by which one asks for all that the emulator has, is not there for RISC-V in the QEMU of Debian 12.
#
# Guess before running: `-cpu max` is known for every guest since it came to x86, Arm and PowerPC, so for RISC-V, too.
#
# Seen with qemu-user 1:7.2+dfsg-7+deb12u18+b3 (Debian 12): `qemu-riscv64 -cpu help` lists any, rv64, shakti-c, sifive-e51, sifive-u54 and
# x-rv128, `-cpu max` ends with status 1 and "unable to find CPU model 'max'". `qemu-aarch64 -cpu help` of the same package lists max.
# `-cpu any` or none is what a command line for RISC-V can say for versions old and new.
set -euo pipefail

version="1:7.2+dfsg-7+deb12u18+b3"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download "qemu-user=$version" > log 2>&1 || { cat log; exit 2; }
dpkg -x qemu-user_*.deb root
riscv=root/usr/bin/qemu-riscv64
arm=root/usr/bin/qemu-aarch64
if ! "$riscv" --version > said 2>&1; then
    cat said
    echo "libraries of qemu-user are missing: apt-get install qemu-user"
    exit 2
fi
head -1 said

models=$("$riscv" -cpu help 2>&1 | tr "\n" " ") || true
echo "riscv64: $models"
case " $models " in
    *" max "*) echo "changed: riscv64 has a model max"; exit 1 ;;
    *" rv64 "*) ;;
    *) echo "changed: riscv64 has no model rv64"; exit 1 ;;
esac
status=0
"$riscv" -cpu max /bin/true > said 2>&1 || status=$?
cat said
[ "$status" -eq 1 ] && grep -q "unable to find CPU model 'max'" said || { echo "changed: -cpu max"; exit 1; }
("$arm" -cpu help 2>&1 || true) | grep -w max > said || { echo "changed: aarch64 has no model max"; exit 1; }
echo "as seen: max is a model of aarch64 and none of riscv64"
