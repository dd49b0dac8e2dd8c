#!/bin/sh
# Runs Python in a virtual environment with packages: with-packages.sh REQUIREMENTS VENV WHAT TESTS ARGUMENT…
# VENV is created if it does not exist or has other packages. If the packages cannot be fetched, WHAT is skipped, and its number of TESTS
# is printed as ignored. PYTHON_FROM is the oldest version of Python that will do, as "3, 10".
set -eu
requirements=$1 venv=$2 what=$3 tests=$4
shift 4

# Prints why nothing was tested, with a line that .ci/run counts.
skip() {
    echo "skipped: $what: $1"
    echo "test result: ok. 0 passed; 0 failed; $tests ignored;"
    exit 0
}

from=${PYTHON_FROM:-3, 9}
python3 -c "import sys; sys.exit(sys.version_info < ($from))" 2>/dev/null || skip "there is no Python from $from on"
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv" || skip "Python's venv does not work here"
    if ! log=$("$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" 2>&1); then
        echo "$log" >&2
        case $log in
            *"Failed to establish a new connection"* | *"Temporary failure in name resolution"* | \
                *"Failed to resolve"* | *"Cannot connect to proxy"* | *"timed out"*)
                skip "packages cannot be fetched" ;;
        esac
        exit 1
    fi
    # Copied last, so that an environment whose installation failed is created anew.
    cp "$requirements" "$venv/requirements.txt"
fi
exec "$venv/bin/python" "$@"
