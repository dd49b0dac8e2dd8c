#!/bin/sh
# Builds the book: build.sh RUBRIC OUT NOTEBOOKS TOOLS. RUBRIC is the program, whose help becomes the reference of commands. The pages of the
# folder NOTEBOOKS, which `make notebooks` writes, become part of the book if they are there. TOOLS gets mdbook if it is not on PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
version=0.5.4
rubric=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2" "$4"
out=$(cd "$2" && pwd) tools=$(cd "$4" && pwd)
mdbook=$(command -v mdbook || echo "$tools/bin/mdbook")
if [ ! -x "$mdbook" ]; then
    echo "building mdbook $version in $tools, once (some minutes)" >&2
    if ! CARGO_TARGET_DIR="$tools/build" "${CARGO:-cargo}" install mdbook --version "=$version" --locked --quiet \
        --no-default-features --features search --root "$tools"; then
        echo "mdbook cannot be built here; without a network, put mdbook on PATH:" \
            "https://rust-lang.github.io/mdBook/guide/installation.html" >&2
        exit 2
    fi
    rm -rf "$tools/build"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The book has the folders of the repository, so that links between its pages are those of the repository.
cp "$here/book.toml" "$work"
pages=$work/src
mkdir "$pages" "$pages/docs"
cp -r "$here/." "$pages/docs"
(cd "$pages/docs" && rm -f book.toml build.sh links.py SUMMARY.md)
"$rubric" man --markdown "$pages/docs" > /dev/null
# The contents, as links from the root, behind the README; then the other pages of the repository that pages of the book link to.
{
    printf '# Summary\n\n[rubric](README.md)\n'
    sed -e 1d -e 's#](\(.*\.md\))#](docs/\1)#' "$here/SUMMARY.md"
    printf -- '- [All commands and options](docs/reference.md)\n'
    if ls "$3"/*.html > /dev/null 2>&1; then
        printf -- '- [Notebooks with their output](docs/notebooks.md)\n'
    fi
    printf '\n# The repository\n\n'
    for page in ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md python/README.md notebooks/README.md scale/README.md \
        fixtures/README.md fixtures/results/README.md fixtures/hard/README.md fixtures/slicc/README.md fixtures/litmus/herd/README.md; do
        title=$(sed -n 's/^# //p' "$root/$page" | head -n 1)
        printf -- '- [%s](%s)\n' "$title" "$page"
        mkdir -p "$pages/$(dirname "$page")"
        cp "$root/$page" "$pages/$page"
    done
} > "$pages/SUMMARY.md"
cp "$root/README.md" "$pages"
# What these pages link to that is no page.
for file in LICENSE-MIT LICENSE-APACHE notebooks/*.ipynb fixtures/programs/*.prog scale/*.py; do
    for found in "$root"/$file; do
        [ -f "$found" ] || continue
        mkdir -p "$pages/$(dirname "${found#"$root"/}")"
        cp "$found" "$pages/${found#"$root"/}"
    done
done
if ls "$3"/*.html > /dev/null 2>&1; then
    mkdir -p "$pages/docs/notebooks"
    cp "$3"/*.html "$pages/docs/notebooks"
    {
        printf '# Notebooks with their output\n\n'
        for page in "$pages"/docs/notebooks/*.html; do
            name=$(basename "$page" .html)
            printf -- '- [%s](notebooks/%s.html)\n' "$name" "$name"
        done
    } > "$pages/docs/notebooks.md"
else
    echo "without the notebooks' output, which \`make notebooks\` makes" >&2
fi
"$mdbook" build --dest-dir "$out" "$work"
python3 "$here/links.py" "$out"
echo "the book: $out/index.html"
