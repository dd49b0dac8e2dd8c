#!/bin/sh
# Builds the book: build.sh RUBRIC OUT NOTEBOOKS. RUBRIC is the program, whose help becomes the reference of commands. The pages of the
# folder NOTEBOOKS, which `make notebooks` writes, become part of the book if they are there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v mdbook > /dev/null; then
    echo "mdbook is not installed: cargo install mdbook" >&2
    exit 2
fi
rubric=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/." "$work"
"$rubric" man --markdown "$work" > /dev/null
if ls "$3"/*.html > /dev/null 2>&1; then
    mkdir -p "$work/notebooks"
    cp "$3"/*.html "$work/notebooks"
    {
        printf '\n## Notebooks with their output\n\n'
        for page in "$work"/notebooks/*.html; do
            name=$(basename "$page" .html)
            printf -- '- [%s](notebooks/%s.html)\n' "$name" "$name"
        done
    } >> "$work/python.md"
fi
mdbook build --dest-dir "$out" "$work"
echo "the book: $out/index.html"
