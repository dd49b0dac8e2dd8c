#!/bin/sh
# Tests the package: test.sh PACKAGE VENV. PACKAGE is a wheel, or the compiled part, of which a wheel is made. It is tried in an empty
# environment, and tested in the virtual environment VENV, which is created if necessary.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export RUBRIC_PACKAGE="$1" PYTHON_FROM="3, 10"
exec "$here/../.ci/with-packages.sh" "$here/requirements.txt" "$2" "the Python package" \
    "$(grep -c 'def test_' "$here/tests/test_package.py")" "$here/run.py" "$here/tests/test_package.py"
