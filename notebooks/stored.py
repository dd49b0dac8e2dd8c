"""Notebooks as they are stored: with their outputs, in a form that the next execution repeats, and the comparison of the two.

Pictures are PNG. Another processor may round a coordinate otherwise, so pictures are compared pixel by pixel with a tolerance, and all else
exactly.
"""

from __future__ import annotations

import base64
import io
import json
import re

import matplotlib.image
import numpy as np

# The metadata of a stored notebook. Everything else that Jupyter adds differs from machine to machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# The kinds of output that are stored, the richest of which is shown.
KINDS = ["image/png", "image/svg+xml", "text/html", "text/plain"]
# The largest size of a stored picture, in bytes.
LARGEST = 100_000
# The largest mean difference of the pixels of two pictures that are the same, of 1: a line that is moved by a part of a pixel.
TOLERANCE = 0.002
# Folders that an execution makes for itself, whose names are random.
TEMPORARY = re.compile(r"[^\s'\"]*/(rubric-[a-z]+-)\w{8}(?=[/'\"\s]|$)")
# The time that a verdict took, in its first line.
SECONDS = re.compile(r"(\bby [a-z-]+, )\d+\.\d+(?= s\))")
# What `print` says of a picture that is shown as well.
FIGURE = re.compile(r"<Figure size .* with \d+ Axes>")


def stored(text: str) -> str:
    """The text of an executed notebook as it is stored."""
    notebook = json.loads(text)
    notebook["metadata"] = METADATA
    number = 0
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        cell.pop("attachments", None)
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = [output(one, number) for one in joined(cell["outputs"])]
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def joined(outputs: list[dict]) -> list[dict]:
    """The outputs with text that was printed in parts, as it happened to be flushed, in one."""
    whole: list[dict] = []
    for one in outputs:
        if whole and one["output_type"] == "stream" and whole[-1].get("name") == one["name"]:
            one = {**one, "text": [*lines(whole.pop()["text"]), *lines(one["text"])]}
            one["text"] = "".join(one["text"])
        whole.append(one)
    return whole


def output(one: dict, number: int) -> dict:
    """An output as it is stored."""
    if one["output_type"] == "stream":
        return {**one, "text": lines(plain(text_of(one["text"])))}
    if one["output_type"] == "error":
        raise ValueError(f"cell {number} fails: {one['evalue']}")
    data = {kind: one["data"][kind] for kind in KINDS if kind in one["data"]}
    if KINDS[0] in data or KINDS[1] in data:
        # The text beside a picture says nothing.
        data = {kind: value for kind, value in data.items() if kind in KINDS[:2] or not FIGURE.fullmatch(text_of(value))}
    kept = {kind: value.strip() if kind == KINDS[0] else lines(plain(text_of(value))) for kind, value in data.items()}
    repeated = {"data": kept, "metadata": {}, "output_type": one["output_type"]}
    return {**repeated, "execution_count": number} if one["output_type"] == "execute_result" else repeated


def plain(text: str) -> str:
    """Text without the random parts of names of folders, and without times."""
    return SECONDS.sub(r"\1…", TEMPORARY.sub(r"/tmp/\1", text))


def text_of(text: str | list[str]) -> str:
    """The text of an output, which Jupyter may store in lines."""
    return "".join(text)


def lines(text: str | list[str]) -> list[str]:
    """Text in lines, in which changes can be read."""
    return text_of(text).splitlines(keepends=True)


def differences(name: str, kept: str, anew: str) -> list[str]:
    """Where a stored notebook differs from the same one executed anew, a line for each cell."""
    before, after = json.loads(kept)["cells"], json.loads(anew)["cells"]
    if [cell["source"] for cell in before] != [cell["source"] for cell in after]:
        return [f"{name}: the cells are others"]
    found = []
    for number, (one, other) in enumerate(zip(before, after)):
        if one["cell_type"] != "code":
            continue
        what = difference(one["outputs"], other["outputs"])
        if what:
            found.append(f"{name}, cell {number}: {what}")
    return found


def difference(one: list[dict], other: list[dict]) -> str | None:
    """What differs between the outputs of a cell; none if they are the same."""
    if len(one) != len(other):
        return f"{len(one)} outputs are stored, and {len(other)} come out"
    for before, after in zip(one, other):
        kinds = [sorted(output.get("data", {"text": output.get("text")})) for output in (before, after)]
        if kinds[0] != kinds[1] or before["output_type"] != after["output_type"]:
            return f"{', '.join(kinds[0])} is stored, and {', '.join(kinds[1])} comes out"
        for kind in kinds[0]:
            values = [output.get("data", output)[kind] for output in (before, after)]
            if values[0] == values[1]:
                continue
            if kind != KINDS[0]:
                return changed(*map(text_of, values))
            apart = pixels_apart(*values)
            if apart is None or apart > TOLERANCE:
                return f"the picture is another one ({'sizes differ' if apart is None else f'{apart:.3%} apart'})"
    return None


def changed(before: str, after: str) -> str:
    """The first line that differs between two texts."""
    pairs = zip([*before.splitlines(), None], [*after.splitlines(), None])
    old, new = next(((old, new) for old, new in pairs if old != new), (None, None))
    return f"stored is {old!r}, and {new!r} comes out"


def pixels_apart(one: str, other: str) -> float | None:
    """The mean difference of the pixels of two pictures, from 0 to 1; none if their sizes differ."""
    before, after = (matplotlib.image.imread(io.BytesIO(base64.b64decode(text)), format="png") for text in (one, other))
    if before.shape != after.shape:
        return None
    return float(np.abs(before - after).mean())


def largest_picture(text: str) -> int:
    """The size of the largest picture of a notebook, in bytes."""
    outputs = [one.get("data", {}) for cell in json.loads(text)["cells"] for one in cell.get("outputs", [])]
    sizes = [len(base64.b64decode(data["image/png"])) for data in outputs if "image/png" in data]
    sizes += [len(text_of(data["image/svg+xml"])) for data in outputs if "image/svg+xml" in data]
    return max(sizes, default=0)
