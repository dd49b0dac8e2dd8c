"""Tests of the modules that the notebooks share: `make notebooks`, or .ci/python_tests.py with this file in an environment with
requirements.txt. RUBRIC_RESULTS is a folder of tables, with a campaign among them."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import matplotlib
import matplotlib.image
import numpy as np
import polars as pl
from polars.testing import assert_frame_equal

os.environ.setdefault("RUBRIC_BIN", os.path.realpath("target/debug/rubric"))

import detection
import program
import stored
import style
import tables

HERE = Path(__file__).resolve().parent
RUBRIC = os.path.realpath(os.environ["RUBRIC_BIN"])
RESULTS = Path(os.environ.get("RUBRIC_RESULTS", "results")).resolve()


def trial(number: int, point: str = "operations=100", size: str = "quick", **more) -> dict:
    """A trial of an experiment, given the columns that identify it."""
    row = {"experiment": "scale", "size": size, "part": "operations", "point": point, "number": number, "model": "sc"}
    return {**row, "algorithm": "stages", "said": "consistent", "seconds": 1.0, **more}


def source(path: Path) -> str:
    """The code of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


class Folder(unittest.TestCase):
    """A test with tables in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        environment = unittest.mock.patch.dict(os.environ, {"RUBRIC_RESULTS": folder.name})
        environment.start()
        self.addCleanup(environment.stop)

    def write(self, name: str, rows: list[dict] | pl.DataFrame) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        pl.DataFrame(rows).write_parquet(path)

    def said(self, function, *arguments) -> tuple[pl.DataFrame, str]:
        """What a function returns and prints."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            rows = function(*arguments)
        return rows, printed.getvalue()


class Tables(Folder):
    def test_shards_are_one_table(self):
        self.write("a/scale.1-of-2.parquet", [trial(2), trial(10), trial(1, "operations=1000")])
        # Shards overlap: the row that is read first counts.
        self.write("a/scale.2-of-2.parquet", [trial(1, "operations=200"), trial(2, seconds=7.0)])
        rows = tables.trials("scale")
        points = rows.select("point", "number").rows()
        self.assertEqual(points, [("operations=100", 2), ("operations=100", 10), ("operations=200", 1), ("operations=1000", 1)])
        self.assertEqual(rows["seconds"].sum(), 4.0)

    def test_only_the_largest_size_of_each_experiment(self):
        self.write("one.parquet", [trial(0), trial(0, size="paper"), trial(1, size="paper")])
        self.write("two.parquet", [trial(0, experiment="wsc-fig6"), trial(0, experiment="wsc-fig7", size="large")])
        sizes = tables.trials("scale", "wsc-fig6").group_by("experiment", "size").len().sort("experiment").rows()
        self.assertEqual(sizes, [("scale", "paper", 2), ("wsc-fig6", "quick", 1)])
        self.assertEqual(len(tables.trials()), 4)

    def test_runs_of_shards_and_other_tables(self):
        run = {"protocol": "P", "client": "in-order", "generator": "blind", "repetition": 0, "lineage": "1", "outcome": "clean"}
        # Runs of the comparison with gem5 are no runs of a campaign.
        self.write("fidelity.parquet", [{**run, "mutant": "m", "number": 7, "place": "gem5"}])
        run["operator"] = "drop-action"
        runs = [{**run, "mutant": mutant, "number": number} for mutant in ["m", None] for number in [1, 0]]
        self.write("m/runs.1-of-2.parquet", runs)
        self.write("m/runs.2-of-2.parquet", runs[2:])
        self.write("history.parquet", [{"thread": 0, "kind": "load"}])
        self.write("m/equivalents.parquet", [{"protocol": "P", "mutant": "n", "operator": "x", "kind": "same", "reason": "why"}])
        (self.folder / ".rubric-half.parquet").write_text("not whole")
        self.assertEqual(tables.runs().select("mutant", "number").rows(), [(None, 0), (None, 1), ("m", 0), ("m", 1)])
        self.assertEqual(len(tables.equivalents()), 1)

    def test_counts_of_shards_are_no_parts(self):
        row = {"protocol": "P", "machine": "M", "state": "I", "stalls": False}
        self.write("1.parquet", [{**row, "event": "Load", "count": 3}, {**row, "event": "Store", "count": 4}])
        self.write("2.parquet", [{**row, "event": "Load", "count": 5}, {**row, "event": "Inv", "count": 0}])
        self.assertEqual(tables.coverage().select("event", "count").rows(), [("Inv", 0), ("Load", 5), ("Store", 4)])

    def test_unreachable_transitions_do_not_count(self):
        row = {"protocol": "P", "machine": "M", "state": "I", "stalls": False, "count": 0}
        why = {"unreached": "needs DMA"}
        rows = [{**row, "event": "Load", "count": 3}, {**row, "event": "Store"}, {**row, "event": "DMA", **why}]
        rows += [{**row, "event": "Rare", "count": 1, **why}, {**row, "event": "Inv", "stalls": True}]
        self.write("1.parquet", rows)
        expected = [("P", "M", 2, 3, 4, 2 / 3)]
        self.assertEqual(detection.reached(tables.coverage()).rows(), expected)
        # Without reasons the whole table is reachable.
        self.write("1.parquet", [{name: one[name] for name in row | {"event": ""}} for one in rows])
        self.assertEqual(detection.reached(tables.coverage()).rows(), [("P", "M", 2, 4, 4, 0.5)])

    def test_columns_that_older_versions_lack(self):
        self.write("1.parquet", [trial(0)])
        self.write("2.parquet", [trial(1, cycle=3)])
        self.assertEqual(tables.trials()["cycle"].to_list(), [None, 3])

    def test_what_is_missing_is_said(self):
        for function, *arguments in [(tables.trials, "scale"), (tables.trials,), (tables.runs,), (tables.coverage,)]:
            rows, printed = self.said(function, *arguments)
            self.assertEqual(len(rows), 0)
            self.assertIn("rubric experiment", printed)
        self.write("1.parquet", [trial(0)])
        rows, printed = self.said(tables.trials, "scale", "wsc-fig6")
        self.assertEqual(len(rows), 1)
        self.assertIn("no trials of wsc-fig6", printed)

    def test_damaged_files_are_named(self):
        (self.folder / "bad.parquet").write_text("PAR1 and no more")
        with self.assertRaisesRegex(ValueError, "bad.parquet.*repeat the command"):
            tables.runs()


class Notebooks(Folder):
    def test_nothing_fails_where_tables_are_missing(self):
        matplotlib.use("agg")
        for path in HERE.glob("*.ipynb"):
            code = source(path)
            if "import tables" not in code:
                continue
            with self.subTest(path.name):
                _, printed = self.said(exec, compile(code, path.name, "exec"), {"display": print})
                self.assertIn("This makes them", printed)

    def test_notebooks_are_stored_with_their_outputs(self):
        names = sorted(path.name for path in HERE.glob("*.ipynb"))
        self.assertEqual(names, [
            "1-tour.ipynb", "2-protocols.ipynb", "3-detection.ipynb", "4-kernels.ipynb", "5-programs.ipynb",
            "6-my-protocol-changed.ipynb", "7-500-traces.ipynb", "8-riscv-litmus.ipynb",
        ])
        for path in HERE.glob("*.ipynb"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text, stored.stored(text), f"{path.name}: run `make notebooks STORE=1`")
            self.assertLessEqual(stored.largest_picture(text), stored.LARGEST)
            cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
            self.assertTrue(any(cell["outputs"] for cell in cells), f"{path.name} has no output")

    def notebook(self, *outputs: dict) -> str:
        """A notebook of one cell with these outputs."""
        cell = {"cell_type": "code", "id": "a", "source": ["1 + 1"], "execution_count": 3, "outputs": list(outputs), "metadata": {"x": 1}}
        return json.dumps({"cells": [cell], "metadata": {"time": 1}, "nbformat": 4, "nbformat_minor": 5})

    def test_what_differs_by_chance_is_not_stored(self):
        printed = [{"output_type": "stream", "name": "stdout", "text": text} for text in ["a\n", "/x/rubric-tour-ab12cd34/t.gz (SC by saturate, 0.012 s)\n"]]
        result = {"output_type": "execute_result", "execution_count": 7, "metadata": {"y": 2}, "data": {"text/plain": "2", "text/x": "3"}}
        once = stored.stored(self.notebook(*printed, result))
        self.assertEqual(stored.stored(once), once)
        [cell] = json.loads(once)["cells"]
        self.assertEqual((cell["execution_count"], cell["metadata"], cell["source"]), (1, {}, ["1 + 1"]))
        self.assertEqual(cell["outputs"], [
            {"name": "stdout", "output_type": "stream", "text": ["a\n", "/tmp/rubric-tour-/t.gz (SC by saturate, … s)\n"]},
            {"data": {"text/plain": ["2"]}, "execution_count": 1, "metadata": {}, "output_type": "execute_result"},
        ])
        with self.assertRaisesRegex(ValueError, "cell 1 fails: why"):
            stored.stored(self.notebook({"output_type": "error", "ename": "E", "evalue": "why", "traceback": []}))

    def test_differences_are_found(self):
        def shown(data: dict) -> str:
            return stored.stored(self.notebook({"output_type": "display_data", "metadata": {}, "data": data}))

        def picture(shift: float, size: int = 40) -> dict:
            pixels = np.full((size, 40, 4), 255, np.uint8)
            pixels[10:30, 10:30, 0] = round(255 * (1 - shift))
            file = io.BytesIO()
            matplotlib.image.imsave(file, pixels, format="png")
            return {"image/png": base64.b64encode(file.getvalue()).decode()}

        def compared(one: dict, other: dict) -> list[str]:
            return stored.differences("n", shown(one), shown(other))

        self.assertEqual(compared({"text/plain": "a\nb"}, {"text/plain": "a\nb"}), [])
        self.assertEqual(compared({"text/plain": "a\nb"}, {"text/plain": "a\nc"}), ["n, cell 0: stored is 'b', and 'c' comes out"])
        self.assertIn("comes out", compared({"text/plain": "a"}, picture(0.5))[0])
        self.assertEqual(compared(picture(0.5), picture(0.505)), [])
        self.assertIn("another one", compared(picture(0.1), picture(0.9))[0])
        self.assertIn("sizes differ", compared(picture(0.1), picture(0.1, 41))[0])
        self.assertIn("are stored", stored.differences("n", self.notebook(), shown({"text/plain": "a"}))[0])


class Agreement(unittest.TestCase):
    """Compares the notebooks' modules with rubric."""

    def test_kill_matrix(self):
        with unittest.mock.patch.dict(os.environ, {"RUBRIC_RESULTS": str(RESULTS)}):
            runs, equivalents = tables.read("runs"), tables.read("equivalents")
        if not len(runs):
            self.skipTest(f"there is no campaign in {RESULTS}")
        command = [RUBRIC, "report", RESULTS, "--format", "json"]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        [theirs] = [matrix for matrix in report["kills"] if matrix["scope"] == "all"]
        theirs = pl.DataFrame(
            [{"operator": row["operator"], "mutants": row["mutants"], "found": row["killed"],
              **{kills["finder"]: kills["killed"] for kills in row["by"]}} for row in theirs["rows"]]
        )
        ours = detection.kill_matrix(detection.tried(runs, equivalents))
        self.assertGreater(ours["found"].sum(), 0)
        assert_frame_equal(ours, theirs, check_dtypes=False)

    def test_styles_are_those_of_the_figures(self):
        self.assertEqual(style.series("wsc"), {"color": style.BLUE, "marker": "o"})
        self.assertEqual(style.series("unknown")["color"], style.GREY)
        for one in program.lists()["series"]:
            self.assertIn(one["marker"], style.MARKERS)

    def test_figures_are_listed(self):
        names = {figure["name"] for figure in program.lists()["figures"]}
        self.assertIn("gcc-fig4-operations", names)
        self.assertEqual(program.published("wsc-kernel-exact"), 0.7424)
