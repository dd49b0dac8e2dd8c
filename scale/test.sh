#!/bin/sh
# Runs the tests of this folder with a program: test.sh RUBRIC VENV. VENV is made and filled when there is need.
set -eu
rubric=$1 venv=$2
here=$(cd "$(dirname "$0")" && pwd)

# Says why nothing was tested, in a form that is counted.
skip() {
    echo "skipped: the tests of scale: $1"
    echo "test result: ok. 0 passed; 0 failed; $(grep -c 'def test_' "$here/test_campaign.py") ignored;"
    exit 0
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip "there is no Python from 3.9 on"
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv" || skip "Python's venv does not work here"
    if ! log=$("$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" 2>&1); then
        echo "$log" >&2
        case $log in
            *"Failed to establish a new connection"* | *"Temporary failure in name resolution"* | *"timed out"*)
                skip "packages cannot be fetched" ;;
        esac
        exit 1
    fi
    # Last: a venv that was not filled is made anew.
    cp "$here/requirements.txt" "$venv/requirements.txt"
fi
exec "$venv/bin/python" "$here/test_campaign.py" "$rubric"
