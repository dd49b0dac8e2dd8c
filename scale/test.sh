#!/bin/sh
# Runs the tests of this folder with a program: test.sh RUBRIC VENV. VENV is made and filled when there is need.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export RUBRIC_BIN="$1"
exec "$here/../.ci/with-packages.sh" "$here/requirements.txt" "$2" "the tests of scale" \
    "$(grep -c 'def test_' "$here/test_campaign.py")" "$here/../.ci/python_tests.py" "$here/test_campaign.py"
