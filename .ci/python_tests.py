"""Runs the tests in a Python file, and prints how many passed in the format of cargo: python_tests.py FILE.

The tests find the program in the environment variable RUBRIC_BIN, and tables in RUBRIC_RESULTS.
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path


def main() -> int:
    """Runs the tests. Returns 1 if a test failed."""
    file = Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(file.parent))
    done = unittest.main(file.stem, argv=sys.argv[:1], exit=False).result
    failed, skipped = len(done.failures) + len(done.errors), len(done.skipped)
    passed = done.testsRun - failed - skipped
    word = "ok" if done.wasSuccessful() else "FAILED"
    print(f"test result: {word}. {passed} passed; {failed} failed; {skipped} ignored;")
    return int(not done.wasSuccessful())


if __name__ == "__main__":
    sys.exit(main())
