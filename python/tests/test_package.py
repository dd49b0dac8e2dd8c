"""Tests of the package `rubric` as it is installed: `make test-python`, or `make wheel` for the wheel."""

from __future__ import annotations

import ast
import doctest
import importlib.metadata
import inspect
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import pandas
import polars
import pyarrow

import rubric

TRACES = Path(__file__).resolve().parents[2] / "fixtures" / "traces"
VIOLATION = TRACES / "mi-fwdgetx-keeps-m-3x60-41.trace.gz"
# Above 2**53 not every whole number is a floating-point number.
LARGE = 2**53 + 1


def documented() -> list[tuple[str, str]]:
    """The docstrings of the package, with their names."""
    found = [("rubric", rubric.__doc__ or "")]
    for name in rubric.__all__:
        thing = getattr(rubric, name)
        found.append((name, inspect.getdoc(thing) or ""))
        if inspect.isclass(thing):
            found += [(f"{name}.{key}", value.__doc__ or "") for key, value in vars(thing).items() if not key.startswith("__")]
    return found


class Documentation(unittest.TestCase):
    def test_examples_in_docstrings(self):
        parser, runner, examples = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False), 0
        for name, text in documented():
            test = parser.get_doctest(text, {}, name, None, None)
            examples += len(test.examples)
            runner.run(test)
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(examples, 30)

    def test_everything_has_a_docstring(self):
        missing = [name for name, text in documented() if not text and name != "__version__"]
        self.assertEqual(missing, [])

    def test_stubs_are_those_of_the_package(self):
        # mypy finds the package where it is installed, not in this folder.
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "mypy.stubtest", "rubric._rubric"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Tables(unittest.TestCase):
    def setUp(self):
        text = f"0: M[0] := {LARGE}\n0: M[1] == 0\n1: M[1] := 1\n1: sync\n1: M[0] == {LARGE}\n"
        self.history = rubric.parse(text)
        self.written = [LARGE, None, 1, None, None]

    def test_polars(self):
        frame = polars.DataFrame(self.history)
        self.assertEqual(frame["written"].to_list(), self.written)
        self.assertEqual(frame["kind"].to_list(), ["store", "load", "store", "fence", "load"])
        self.assertEqual(frame["written"].dtype, polars.UInt64)
        self.assertTrue(frame.equals(self.history.to_polars()))

    def test_pyarrow(self):
        table = pyarrow.table(self.history)
        self.assertEqual(table["written"].to_pylist(), self.written)
        self.assertEqual(table.schema.field("written").type, pyarrow.uint64())
        self.assertEqual(table.column_names, self.history.table.columns)

    def test_pandas_keeps_whole_numbers(self):
        frame = self.history.to_pandas()
        self.assertEqual([None if pandas.isna(value) else int(value) for value in frame["written"]], self.written)
        self.assertEqual(str(frame["written"].dtype), "uint64[pyarrow]")

    def test_columns_are_shared_and_not_copied(self):
        one, two = (pyarrow.table(self.history)["written"].chunk(0) for _ in range(2))
        self.assertEqual([it.address for it in one.buffers()], [it.address for it in two.buffers()])

    def test_a_table_outlives_its_history(self):
        table = pyarrow.table(rubric.simulate("MI_example", operations=10, threads=2).history)
        self.assertEqual(table.num_rows, 20)
        self.assertGreater(len(set(table["written"].to_pylist())), 5)

    def test_a_stream_that_nobody_reads_is_freed(self):
        for _ in range(1000):
            self.history.__arrow_c_stream__()

    def test_what_rubric_writes_is_the_same_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "history.parquet")
            self.history.save(file)
            self.assertTrue(polars.read_parquet(file).equals(polars.DataFrame(self.history)))
            self.assertEqual(rubric.read(file).digest, self.history.digest)

    def test_a_history_is_not_written_over_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file, link = Path(folder, "history.jsonl"), Path(folder, "link.jsonl")
            self.history.save(file)
            before = file.read_bytes()
            link.hardlink_to(file)
            history = rubric.read(file)
            for path in [file, link]:
                self.assertRaisesRegex(ValueError, "read from this file", history.save, path)
            self.assertEqual(file.read_bytes(), before)
            # What was not read from a file replaces it, as when a cell of a notebook runs again.
            self.history.save(file)
            history.save(Path(folder, "other.jsonl"))

    def test_a_table_shows_its_first_rows(self):
        html = self.history.table._repr_html_()
        self.assertIn("<th>thread</th>", html)
        self.assertEqual(html.count("<tr>"), 1 + 5)
        self.assertIn(f"<td>{LARGE}</td>", html)
        self.assertIn("5 rows", html)
        many = rubric.simulate("MI_example", operations=20, threads=2).history.table
        self.assertEqual(many._repr_html_().count("<tr>"), 1 + 10)
        self.assertIn("40 rows", many._repr_html_())

    def test_pandas_reads_what_rubric_writes(self):
        # The recipe of docs/recipes.md, and what one does with the rows then.
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "history.parquet")
            self.history.save(file)
            frame = pandas.read_parquet(file, dtype_backend="pyarrow")
            self.assertEqual([None if pandas.isna(value) else int(value) for value in frame["written"]], self.written)
            stores = frame[frame["kind"] == "store"]
            self.assertGreater(len(stores), 0)
            self.assertEqual(frame.groupby("kind").size()["store"], len(stores))
            self.assertEqual(frame.sort_values("kind")["kind"].tolist(), sorted(frame["kind"]))
            self.assertIn("store", repr(frame["kind"]))

    def test_pandas_reads_stored_results(self):
        results = sorted((TRACES.parent / "results").rglob("*.parquet"))
        self.assertGreater(len(results), 40)
        for file in results:
            frame = pandas.read_parquet(file, dtype_backend="pyarrow")
            for column in frame.columns[frame.dtypes == "large_string[pyarrow]"]:
                for value in frame[column].dropna().head(1):
                    self.assertTrue((frame[column] == value).any(), (file, column))
                frame.sort_values(column)
                frame.groupby(column).size()
            self.assertIn(frame.columns[0], repr(frame))
            self.assertFalse([type for type in frame.dtypes if "view" in str(type)], file)


class Checking(unittest.TestCase):
    def test_a_violation(self):
        history = rubric.read(VIOLATION)
        self.assertEqual((history.threads, len(history), history.protocol), (3, 180, "MI_example"))
        verdict = history.check("sc")
        self.assertEqual((verdict.verdict, verdict.holds, verdict.decided_by), ("violation", False, "saturate"))
        self.assertEqual([(step["thread"], step["index"], step["line"]) for step in verdict.cycle], [(2, 8, 651), (0, 34, 996)])
        self.assertEqual(verdict.violation["cycle"], verdict.cycle)
        self.assertTrue(verdict.reasons[0].startswith("[a] T2:8 co T0:34"))
        self.assertIn(verdict.reasons[0], str(verdict))
        self.assertEqual(history.verify(verdict.certificate).verdict, "violation")
        self.assertEqual(history.check("tso").verdict, "consistent")
        self.assertEqual(history.check("TSO").model, "tso")
        self.assertGreater(len(history.transitions), 100)

    def test_a_certificate_of_the_program_is_one_of_the_package(self):
        # The program reads and writes the same files, and its options stand in the certificate.
        verdict = rubric.read(VIOLATION, initial="infer", to_tick=2000).check("sc")
        header = verdict.certificate.splitlines()
        self.assertTrue(any("--to-tick 2000 --initial infer" in line for line in header), header[:12])
        self.assertTrue(any(VIOLATION.name in line for line in header), header[:12])

    def test_shrinking_and_drawing(self):
        verdict = rubric.read(TRACES / "mesi2-4x100-sb-16.trace.gz").check("sc")
        small = verdict.shrink()
        self.assertEqual((len(small.history), small.shape, small.is_minimal, len(small.kept)), (6, "R", True, 6))
        self.assertIn("rubric.Shrunk to 6 operations", repr(small))
        # Operations have the names that they have in the whole trace, as in `rubric shrink`.
        for thread, index in small.kept:
            self.assertIn(f"T{thread}:{index} ", str(small))
        picture = small.explain()
        self.assertIn(picture.svg, picture._repr_html_())
        self.assertIn("digraph", picture.dot)
        with tempfile.TemporaryDirectory() as folder:
            picture.save(Path(folder, "why.svg"))
            self.assertEqual(Path(folder, "why.svg").read_text(encoding="utf-8"), picture.svg)
            small.history.save(Path(folder, "small.litmus"))
            # The outcome of the history is one that SC forbids.
            self.assertEqual(rubric.litmus(Path(folder, "small.litmus"), model="sc").observation, "Never")
            self.assertRaisesRegex(ValueError, "a name that ends in .svg", picture.save, Path(folder, "why.doc"))

    def test_several_histories(self):
        litmus = TRACES.parent / "litmus" / "litmus.axe"
        histories = rubric.read_all(litmus)
        self.assertGreater(len(histories), 5)
        self.assertRaisesRegex(ValueError, "read_all", rubric.read, litmus)
        self.assertEqual(rubric.read(litmus, history=histories[1].name).digest, histories[1].digest)

    def test_messages_name_settings_as_python_does(self):
        history = rubric.read(VIOLATION)
        said = "\n".join([*history.notes, str(history.check("sc")), str(history.check("tso"))])
        self.assertIn("(access_size)", said)
        self.assertNotIn("--", said)
        with tempfile.TemporaryDirectory() as folder:
            cut = Path(folder, "cut.trace")
            cut.write_text("      5: system.ruby.l1_cntrl0.sequencer: read data [ 0x\n" * 2)
            self.assertRaisesRegex(rubric.InputError, "lossy=True", rubric.read, cut)

    def test_the_kernel(self):
        kernel = rubric.read(TRACES / "mi-2x50-io-11.trace.gz").kernel("sc")
        self.assertEqual(kernel.size, len(kernel.pairs))
        self.assertTrue(0 < len(kernel.reduction) < kernel.size)
        self.assertLessEqual(set(kernel.reduction), set(kernel.pairs))
        self.assertEqual(list(kernel.by), ["ccm", "ccv", "wsc"])
        self.assertTrue(0 < kernel.by["wsc"] <= kernel.size <= kernel.write_pairs)
        self.assertRaisesRegex(rubric.Error, "violates SC", rubric.read(VIOLATION).kernel, "sc")

    def test_messages(self):
        twice = "0: M[0] := 1\n1: M[0] := 1\n0: M[0] == 1\n"
        for error, message, call in [
            (rubric.InputError, "check the path", lambda: rubric.read("no/such/file")),
            (ValueError, 'model "tos": one of sc', lambda: rubric.parse("0: M[0] := 1").check("tos")),
            (rubric.Error, 'try ambiguous="search"', lambda: rubric.parse(twice).check()),
            (ValueError, "only a violation shrinks", lambda: rubric.parse("0: M[0] := 1").check().shrink()),
            (rubric.CertificateError, "refused", lambda: rubric.parse("0: M[0] := 1").verify("nothing\n")),
            (rubric.ProtocolError, "MI_example", lambda: rubric.simulate("MI_exampel")),
            (rubric.ProtocolError, "no-such-mutant", lambda: rubric.simulate("MI_example", mutant="no-such-mutant")),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        self.assertEqual(rubric.parse(twice).check(ambiguous="search").verdict, "consistent")

    def test_folders_and_patterns_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ["b.axe", "a.axe"]:
                Path(folder, name).write_text("0: M[0] := 1\n")
            for path in [folder, f"{folder}/*.axe"]:
                self.assertEqual([one.threads for one in rubric.read_all(path)], [1, 1])
            with self.assertRaisesRegex(rubric.Error, "nothing-"):
                rubric.read_all(f"{folder}/nothing-*.axe")

    def test_violations_come_first(self):
        rows = rubric.check_files([TRACES.parent / "litmus" / "litmus.axe", VIOLATION], progress=False).to_polars()
        self.assertEqual(rows["verdict"][0], "violation")

    def test_damaged_tables_are_errors(self):
        # Each of these makes the library that decodes them panic, or end its process.
        damaged = TRACES.parent / "damaged"
        for name in ["memory.parquet", "length.parquet"]:
            with self.subTest(name), self.assertRaisesRegex(rubric.InputError, name):
                rubric.read(damaged / name)
        rows = rubric.check_files([damaged / "memory.parquet", VIOLATION], progress=False).to_polars()
        self.assertEqual(sorted(rows["verdict"]), ["error", "violation"])

    def test_damaged_bytes_never_end_python(self):
        with tempfile.TemporaryDirectory() as folder:
            sound = Path(folder, "sound.parquet")
            rubric.read_all(TRACES.parent / "litmus" / "litmus.axe")[0].save(sound)
            content, file, refused = sound.read_bytes(), Path(folder, "damaged.parquet"), 0
            for number in range(30):
                at = number * len(content) // 30
                changed = bytearray(content)
                if number % 2:
                    # Impossible lengths.
                    changed[at : at + 4] = b"\xff" * len(changed[at : at + 4])
                else:
                    changed[at] ^= 1 << number % 8
                file.write_bytes(changed)
                try:
                    rubric.read(file).check("sc")
                except rubric.InputError as error:
                    self.assertIn("damaged.parquet", str(error))
                    refused += 1
            self.assertGreater(refused, 10)

    def test_errors_of_protocols_name_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "bad.slicc")
            file.write_text('protocol "bad";\ninclude "bad.sm";\n', encoding="utf-8")
            Path(folder, "bad.sm").write_text("machine(X) {\n", encoding="utf-8")
            self.assertRaisesRegex(rubric.ProtocolError, "bad.sm:", rubric.simulate, file)


class Simulating(unittest.TestCase):
    def test_the_same_arguments_give_the_same_run(self):
        digests = {rubric.simulate("MESI_Two_Level", seed=seed).history.digest for seed in [5, 5, 6]}
        self.assertEqual(len(digests), 2)

    def test_a_fault_is_found_and_named(self):
        runs = [rubric.simulate("MI_example", mutant="mi-l1-nack-before-forward", recipe=seed) for seed in range(40)]
        failed = [run for run in runs if run.fault]
        self.assertTrue(failed)
        self.assertIn("Invalid transition", failed[0].fault)
        self.assertIn("MI_example-cache.sm:", failed[0].place)
        self.assertTrue(failed[0].history.crash.startswith("invalid transition"), failed[0].history.crash)

    def test_a_campaign_is_kept_and_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            options = {"mutants": ["mi-l1-nack-before-forward"], "clients": ["early"], "output": folder, "progress": False}
            few = rubric.campaign("MI_example", runs=2, **options)
            more = rubric.campaign("MI_example", runs=5, **options)
            self.assertGreater(len(more.runs), len(few.runs))
            self.assertTrue(more.is_whole)
            rows = polars.DataFrame(more.runs)
            stored = polars.read_parquet(Path(folder, "runs.parquet"))
            order = ["mutant", "client", "number"]
            self.assertTrue(rows.sort(order, nulls_last=True).equals(stored.sort(order, nulls_last=True)))
            self.assertEqual(rows["mutant"].drop_nulls().unique().to_list(), ["mi-l1-nack-before-forward"])
            self.assertIn("<table>", more._repr_html_())


class Interrupting(unittest.TestCase):
    """Another thread sends the signal while the call runs, which it can only if the call has released Python's lock."""

    def interrupted(self, call) -> None:
        # Shells start what runs in the background with the signal ignored.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        stop = threading.Event()

        def send() -> None:
            # Again and again, since the first one may come before the call.
            while not stop.wait(0.2):
                os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=send)
        with self.assertRaises(KeyboardInterrupt):
            try:
                thread.start()
                call()
            finally:
                stop.set()
                thread.join()

    def test_campaigns_stop_and_can_be_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            options = {"mutants": ["mi-l1-replace-no-notify"], "output": folder, "progress": False, "clients": ["in-order"]}
            self.interrupted(lambda: rubric.campaign("MI_example", runs=10**7, **options))
            self.assertGreater(len(rubric.campaign("MI_example", runs=1, **options).runs), 0)

    def test_simulations_stop(self):
        self.interrupted(lambda: rubric.simulate("MI_example", operations=10**6, threads=8))


class Package(unittest.TestCase):
    def test_the_wheel_has_metadata_and_types(self):
        wheel = importlib.metadata.distribution("rubric")
        self.assertEqual((wheel.version, wheel.metadata["Requires-Python"]), (rubric.__version__, ">=3.10"))
        self.assertEqual([needed for needed in wheel.requires or [] if "extra ==" not in needed], [])
        files = {str(file) for file in wheel.files or []}
        self.assertLessEqual({"rubric/__init__.py", "rubric/_rubric.pyi", "rubric/py.typed"}, files)
        self.assertEqual([file for file in files if "test" in file], [])

    def test_nothing_else_is_needed(self):
        # The packages that read tables are imported when they are first needed.
        code = "import sys, rubric; print([name for name in ('polars', 'pyarrow', 'pandas', 'numpy', 'tqdm') if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(ast.literal_eval(done.stdout), [])

    def test_the_progress_line(self):
        code = "import rubric; rubric.campaign('MI_example', mutants=['mi-l1-replace-no-notify'], runs=1)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        # Standard error is no terminal here.
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
