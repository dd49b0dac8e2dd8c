"""Removes output, execution counts and metadata from the notebooks. `strip.py --check` only lists those that need it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

# The metadata of a stored notebook. Everything else that Jupyter adds differs from machine to machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def stripped(text: str) -> str:
    """The text of a notebook without output, execution counts and metadata."""
    notebook = json.loads(text)
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        cell.pop("attachments", None)
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            cell["outputs"] = []
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> int:
    """Strips the notebooks of this folder, or checks that they are."""
    check = sys.argv[1:] == ["--check"]
    status = 0
    for path in sorted(Path(__file__).resolve().parent.glob("*.ipynb")):
        before = path.read_text(encoding="utf-8")
        after = stripped(before)
        if before == after:
            continue
        if check:
            print(f"{path.name} is stored with output: run notebooks/strip.py")
            status = 1
        else:
            path.write_text(after, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
