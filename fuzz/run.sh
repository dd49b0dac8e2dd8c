#!/usr/bin/env bash
# Runs every target under libFuzzer, and prints how many inputs were tried and how many places of the program they reached:
#
#   fuzz/run.sh [RUNS [TARGET ...]]
#
# It needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`. Interesting inputs stay in target/fuzz/corpus, from which the next run continues. An input
# that fails is kept in target/fuzz/found, and the exit status is 1. Sanitizers are off, since there is no unsafe code.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-100000}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(basename --suffix .rs --multiple fuzz/targets/*.rs)

folder=${CARGO_TARGET_DIR:-target}/fuzz
status=0
for target in "${targets[@]}"; do
    corpus=$folder/corpus/$target
    mkdir -p "$corpus" "$folder/found"
    log=$folder/$target.log
    # malloc keeps what is freed between inputs, so the RSS limit says nothing about one input; the limit of one allocation does.
    cargo +nightly fuzz run --sanitizer none --features libfuzzer "$target" "$corpus" "fuzz/seeds/$target" -- \
        -runs="$runs" -max_len=16384 -timeout=20 -malloc_limit_mb=512 -rss_limit_mb=4096 -artifact_prefix="$folder/found/$target-" \
        > "$log" 2>&1 || { status=1; echo "$target: see $log and $folder/found"; }
    echo "$target: $(grep -o 'Done [0-9]* runs in [0-9]* second' "$log" | tail -1)s," \
        "$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$log" | tail -1)"
done
exit "$status"
