#!/bin/sh
# Tests and executes the notebooks with the program RUBRIC: test.sh RUBRIC VENV OUT. The virtual environment VENV is created if necessary,
# and executed copies are written to OUT.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tests=$(grep -c 'def test_' "$here/test_notebooks.py")
notebooks=$(ls "$here"/*.ipynb | wc -l)
export PYTHON_FROM="3, 10"
exec "$here/../.ci/with-packages.sh" "$here/requirements.txt" "$2" "the notebooks" "$((tests + notebooks))" "$here/run.py" "$1" "$3"
