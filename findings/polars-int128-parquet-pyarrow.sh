#!/bin/sh
# A Parquet file with one Int128 column, as polars writes it, cannot be opened by pyarrow at all: not the other columns,
# not the number of rows, not the metadata.
#
# Versions: polars 2.1.0, pyarrow 26.0.1 (PyPI), Python 3.11.
#
# polars states the types of the columns in the key `ARROW:schema` of the file's metadata, and this one as an integer of 128
# bits. pyarrow refuses that whenever it opens the file, so that one such column locks the whole table:
#
#   pyarrow.parquet.read_table(FILE, columns=["a"])  ArrowNotImplementedError: Integers with more than 64 bits not implemented
#   pyarrow.parquet.read_metadata(FILE)              the same
#   polars.read_parquet(FILE)                        works
#
# One would expect columns of other types, and the metadata, to be readable. A reader of tables from others should therefore
# name the column, which the error does not.
#
# Exits with 0 if the behaviour is still this, and with 1 if it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet polars==2.1.0 pyarrow==26.0.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import polars
import pyarrow.parquet

frame = polars.DataFrame({"a": [1, 2]})
frame.with_columns(b=polars.col("a").cast(polars.Int128)).write_parquet("table.parquet")
changed = polars.read_parquet("table.parquet").height != 2
for name, read in [
    ("read_table(columns=['a'])", lambda: pyarrow.parquet.read_table("table.parquet", columns=["a"])),
    ("read_metadata", lambda: pyarrow.parquet.read_metadata("table.parquet")),
]:
    try:
        read()
        print(name, "works")
        changed = True
    except NotImplementedError as error:
        print(name, type(error).__name__, error)
        changed = changed or "more than 64 bits" not in str(error)
sys.exit(1 if changed else 0)
PYTHON
