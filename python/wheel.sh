#!/bin/sh
# Builds the wheel and tests it in a fresh virtual environment: wheel.sh OUT WORK. OUT gets the wheel, WORK the environments.
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
# An empty environment has the wheel and nothing else.
python3 -m venv --clear "$work/empty"
"$work/empty/bin/pip" install --quiet --disable-pip-version-check --no-index "$out"/rubric-*.whl
(cd "$work" && "$work/empty/bin/python" -c 'import rubric; print(rubric.simulate("MI_example").history.check("sc"))')
# The tests need packages that read tables.
"$work/empty/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
cp "$here/requirements.txt" "$work/empty/requirements.txt"
"$here/test.sh" - "$work/empty"
echo "built and tested: $(ls "$out"/rubric-*.whl)"
