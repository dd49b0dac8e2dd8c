#!/usr/bin/env bash
# QEMU's emulation of AArch64 processes on x86-64 lets a load-acquire (LDAR) overtake a store-release (STLR) before it, which Armv8
# forbids: an acquire that follows a release is ordered after it ("RCsc").
#
# Guess before running: multi-threaded emulation on a host with a stronger model (TSO) is never weaker than the guest's model allows.
#
# Seen with qemu-user 1:7.2+dfsg-7+deb12u18+b3 (Debian 12) on an x86-64 machine with two processors: of two million rounds in which each of two
# threads stores 1 with STLR to its variable and loads the other's with LDAR, 156916 ended with 0 and 0. With a full barrier (DMB ISH)
# between the two, none did. On x86-64 the store waits in the store buffer while the load is performed; a barrier of the
# host stands before the store and after the load, and none between them.
#
# Needs two processors, apt-get, and a compiler for AArch64 (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross).
# Exits with 0 if the behaviour is still this, with 1 if it has changed, and with 2 if it cannot be tried.
set -euo pipefail

version="1:7.2+dfsg-7+deb12u18+b3"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
[ "$(nproc)" -ge 2 ] || { echo "two processors are needed"; exit 2; }
aarch64-linux-gnu-gcc --version 2> /dev/null | head -1 || { echo "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"; exit 2; }
apt-get download "qemu-user=$version" > log 2>&1 || { cat log; exit 2; }
dpkg -x qemu-user_*.deb root
root/usr/bin/qemu-aarch64 --version | head -1 || { echo "apt-get install qemu-user, for its libraries"; exit 2; }

cat > both.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 2000000 };
static _Alignas(128) long variables[2][16];
static long seen[2];
static _Alignas(128) atomic_long arrived;

static void meet(long number)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 2 * number) {
    }
}

static void *thread(void *argument)
{
    long me = (long)argument, both = 0, one = 1;
    for (long round = 0; round < ROUNDS; round++) {
        variables[me][0] = 0;
        meet(3 * round + 1);
        __asm__ volatile("stlr %1, [%2]\n" BETWEEN "ldar %0, [%3]"
                         : "=&r"(seen[me]) : "r"(one), "r"(&variables[me][0]), "r"(&variables[1 - me][0]) : "memory");
        meet(3 * round + 2);
        both += seen[0] == 0 && seen[1] == 0;
        meet(3 * round + 3);
    }
    return (void *)both;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread, (void *)1);
    printf("%ld\n", (long)thread((void *)0));
    pthread_join(other, NULL);
    return 0;
}
C
count() {
    aarch64-linux-gnu-gcc -O2 -static -pthread -DBETWEEN="$1" both.c -o both
    root/usr/bin/qemu-aarch64 ./both
}
without=$(count '""')
with=$(count '"dmb ish\n"')
echo "0 and 0 of 2000000 rounds: $without with STLR and LDAR alone, $with with DMB ISH between them"
[ "$without" -gt 0 ] || { echo "changed: an acquire does not overtake a release"; exit 1; }
[ "$with" -eq 0 ] || { echo "changed: not even DMB ISH keeps them in order"; exit 1; }
