#!/bin/sh
# Tests the package: test.sh LIBRARY VENV. LIBRARY is the compiled part, which is installed with the package in the virtual environment
# VENV; `-` tests the package that is installed there. VENV is created if necessary.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export RUBRIC_LIBRARY="$1" PYTHON_FROM="3, 10"
exec "$here/../.ci/with-packages.sh" "$here/requirements.txt" "$2" "the Python package" \
    "$(grep -c 'def test_' "$here/tests/test_package.py")" "$here/run.py" "$here/tests/test_package.py"
