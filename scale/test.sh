#!/bin/sh
# Runs the tests of this folder with the program RUBRIC: test.sh RUBRIC VENV. The virtual environment VENV is created if necessary.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export RUBRIC_BIN="$1"
exec "$here/../.ci/with-packages.sh" "$here/requirements.txt" "$2" "the tests of scale" \
    "$(grep -c 'def test_' "$here/test_campaign.py")" "$here/../.ci/python_tests.py" "$here/test_campaign.py"
