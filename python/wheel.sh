#!/bin/sh
# Builds the wheel and tests it in fresh virtual environments: wheel.sh OUT WORK. OUT gets the wheel, WORK the environments.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" "$2"
out=$(cd "$1" && pwd) work=$(cd "$2" && pwd)
if ! cmp -s "$here/build-requirements.txt" "$work/build/requirements.txt"; then
    python3 -m venv --clear "$work/build"
    "$work/build/bin/pip" install --quiet --disable-pip-version-check -r "$here/build-requirements.txt"
    cp "$here/build-requirements.txt" "$work/build/requirements.txt"
fi
rm -f "$out"/rubric-*.whl
(cd "$here" && "$work/build/bin/maturin" build --release --locked --out "$out")
"$here/test.sh" "$out"/rubric-*.whl "$work/test"
echo "built and tested: $(ls "$out"/rubric-*.whl)"
