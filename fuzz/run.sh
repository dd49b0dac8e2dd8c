#!/usr/bin/env bash
# Drives every target with libFuzzer, and says how many inputs were tried and how many places of the program they reached:
#
#   fuzz/run.sh [RUNS [TARGET ...]]
#
# It needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`. What it finds worth keeping stays in target/fuzz/corpus, from which the next run goes on; an input
# that breaks something is kept in target/fuzz/found, and ends this with status 1. Without sanitizers: nothing here is unsafe.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-100000}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(axe certificate gem5 json program slicc)

folder=${CARGO_TARGET_DIR:-target}/fuzz
status=0
for target in "${targets[@]}"; do
    corpus=$folder/corpus/$target
    mkdir -p "$corpus" "$folder/found"
    log=$folder/$target.log
    # What libFuzzer drops between inputs stays with malloc, so that its own limit says nothing of one input's needs; that of one allocation does.
    cargo +nightly fuzz run --sanitizer none --features libfuzzer "$target" "$corpus" "fuzz/seeds/$target" -- \
        -runs="$runs" -max_len=16384 -timeout=20 -malloc_limit_mb=512 -rss_limit_mb=4096 -artifact_prefix="$folder/found/$target-" \
        > "$log" 2>&1 || { status=1; echo "$target: see $log and $folder/found"; }
    echo "$target: $(grep -o 'Done [0-9]* runs in [0-9]* second' "$log" | tail -1)s," \
        "$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$log" | tail -1)"
done
exit "$status"
