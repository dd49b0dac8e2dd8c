#!/bin/sh
# The feature `lz4_flex` of the crate polars-parquet, LZ4 in Rust instead of the C library that `lz4` builds, does not compile
# unless `lz4` is on as well.
#
# Version: polars-parquet 0.55.2 (crates.io), a Rust compiler of 1.90 or later.
#
#   features = ["lz4"]              compiles
#   features = ["lz4_flex"]         error[E0425]: cannot find function `lz4_decompress_to_buffer` in this scope
#   features = ["lz4_flex", "lz4"]  compiles, and uses the C library
#
# Two features with a dependency each look like a choice, and the code asks for either of them in six places. A reader of Parquet
# that is built on polars-parquet alone therefore needs a C compiler for LZ4, or goes without it. polars itself always asks for
# `lz4`, so nothing else shows this.
#
# Exits with 0 if the behaviour is still this, and with 1 if it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
echo 'pub use polars_parquet::read::read_metadata;' > src/lib.rs

# Compiles polars-parquet with these features.
compiles() {
    cat > Cargo.toml <<TOML
[package]
name = "reader"
version = "0.1.0"
edition = "2024"

[dependencies]
polars-parquet = { version = "=0.55.2", default-features = false, features = [$1] }
TOML
    CARGO_TARGET_DIR="$folder/target" cargo check --quiet 2> errors
}

changed=0
for features in '"lz4"' '"lz4_flex", "lz4"'; do
    if compiles "$features"; then
        echo "$features: compiles"
    else
        echo "$features: does not compile"
        changed=1
    fi
done
if compiles '"lz4_flex"'; then
    echo '"lz4_flex": compiles'
    changed=1
else
    grep -m 1 '^error' errors
    grep -q 'cannot find function `lz4_decompress_to_buffer`' errors || changed=1
fi
exit $changed
