"""Progress bars."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any


class Progress:
    """A progress bar with stages: one of tqdm if that is installed, else a line on standard error if that is a terminal."""

    def __init__(self, wanted: bool) -> None:
        self._stage = ""
        self._begun = time.monotonic()
        self._bar: Any = None
        self._tqdm: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]

                self._tqdm = tqdm
            except ImportError:
                pass
        self._has_line = wanted and self._tqdm is None and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._has_line and self._stage:
            print(file=sys.stderr)

    def show(self, stage: str, done: int, total: int, found: int) -> None:
        """Shows that `done` of `total` pieces of a stage are done, and how many things were found."""
        if stage == "start":
            return
        if stage != self._stage:
            self._stage, self._begun = stage, time.monotonic()
            if self._tqdm is not None:
                if self._bar is not None:
                    self._bar.close()
                self._bar = self._tqdm(desc=stage)
        if self._bar is not None:
            self._bar.total = total or None
            if found:
                self._bar.set_postfix(found=found, refresh=False)
            self._bar.update(done - self._bar.n)
            self._bar.refresh()
        elif self._has_line:
            print(f"\r{self._line(done, total, found)}\x1b[K", end="", file=sys.stderr, flush=True)

    def _line(self, done: int, total: int, found: int) -> str:
        elapsed = time.monotonic() - self._begun
        parts = [f"{done} of {total} {self._stage}"]
        if done and total > done:
            parts.append(f"{elapsed / done * (total - done):.0f} s left")
        if found:
            parts.append(f"{found} found")
        return ", ".join(parts)
