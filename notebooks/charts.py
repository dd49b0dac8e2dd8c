"""What is drawn in several notebooks, or is too long for one."""

from __future__ import annotations

import matplotlib.axis
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.ticker import LogLocator, NullFormatter

import style


def box(axes: plt.Axes, values: pl.Series, place: float, color: str, width: float) -> None:
    """A box that holds the middle half of the values, with a line at the median; whiskers reach to the extremes."""
    if len(values):
        axes.boxplot(
            values.to_numpy(),
            positions=[place],
            widths=width,
            whis=(0, 100),
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": color, "edgecolor": color},
            medianprops={"color": "white", "linewidth": 2},
            whiskerprops={"color": color},
            capprops={"color": color},
        )


def boxes(axes: plt.Axes, frame: pl.DataFrame, group: str, series: str, value: str) -> None:
    """Boxes of a column, side by side for each of the series, in groups."""
    groups, names = (frame[column].unique().sort().to_list() for column in (group, series))
    width = 0.8 / len(names)
    for number, name in enumerate(names):
        color = style.other(number)["color"]
        for place, one in enumerate(groups):
            values = frame.filter(pl.col(group) == one, pl.col(series) == name)[value]
            box(axes, values, place + (number - (len(names) - 1) / 2) * width, color, 0.8 * width)
        axes.bar([0], [0], color=color, label=name)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.grid(axis="x", visible=False)


def plain_log(axis: matplotlib.axis.Axis) -> None:
    """Numbers without powers on a logarithmic axis, and some between where there are few decades."""
    axis.set_major_formatter("{x:g}")
    low, high = axis.get_view_interval()
    few = high / low < 100
    axis.set_minor_locator(LogLocator(subs=[0.2, 0.5] if few else []))
    axis.set_minor_formatter("{x:g}" if few else NullFormatter())


def heat(coverage: pl.DataFrame, title: str) -> None:
    """How often a machine met each event in each state."""
    states, events = (coverage[name].unique().sort().to_list() for name in ("state", "event"))
    counts = np.full((len(states), len(events)), np.nan)
    for state, event, count in coverage.select("state", "event", "count").iter_rows():
        counts[states.index(state), events.index(event)] = count
    figure, axes = plt.subplots(figsize=(1.6 + 0.3 * len(events), 1.6 + 0.22 * len(states)))
    axes.imshow(np.where(counts == 0, 1.0, np.nan), cmap=ListedColormap(["#c9c9c9"]), aspect="auto")
    taken = axes.imshow(np.where(counts > 0, counts, np.nan), cmap=style.SHADES, norm=LogNorm(), aspect="auto")
    figure.colorbar(taken, label="times", shrink=0.8)
    axes.set_xticks(range(len(events)), events, rotation=90, fontsize=8)
    axes.set_yticks(range(len(states)), states, fontsize=8)
    axes.set(xlabel="event", ylabel="state", title=title)
    axes.grid(visible=False)
    axes.tick_params(length=0)
