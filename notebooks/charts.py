"""Figures that several notebooks share, or that are too long for one."""

from __future__ import annotations

import matplotlib.axis
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.colors import ListedColormap, LogNorm, to_rgba
from matplotlib.ticker import LogLocator, NullFormatter

import style

# The colour of transitions that no run took.
NEVER = "#c9c9c9"
# The style of published numbers.
PUBLISHED = {"color": style.BLACK, "markersize": 24, "markeredgewidth": 2.5}
# The background of text on a drawing.
BACKGROUND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}


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
            boxprops={"facecolor": to_rgba(color, 0.35), "edgecolor": color},
            medianprops={"color": color, "linewidth": 2.5},
            whiskerprops={"color": color},
            capprops={"color": color},
        )


def boxes(axes: plt.Axes, frame: pl.DataFrame, group: str, series: str, value: str) -> None:
    """Boxes of a column, side by side for each of the series, in groups."""
    groups, names = (frame[column].unique().sort().to_list() for column in (group, series))
    width = 0.8 / max(len(names), 1)
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
    """Labels a logarithmic axis with plain numbers, and between decades where there are few."""
    axis.set_major_formatter("{x:g}")
    low, high = axis.get_view_interval()
    few = high / low < 100
    axis.set_minor_locator(LogLocator(subs=[0.2, 0.5] if few else []))
    axis.set_minor_formatter("{x:g}" if few else NullFormatter())


def heat(coverage: pl.DataFrame, title: str) -> None:
    """The number of times that a machine handled each event in each state."""
    states, events = (coverage[name].unique().sort().to_list() for name in ("state", "event"))
    counts = np.full((len(states), len(events)), np.nan)
    for state, event, count in coverage.select("state", "event", "count").iter_rows():
        counts[states.index(state), events.index(event)] = count
    figure, axes = plt.subplots(figsize=(1.6 + 0.3 * len(events), 1.6 + 0.22 * len(states)))
    axes.imshow(np.where(counts == 0, 1.0, np.nan), cmap=ListedColormap([NEVER]), aspect="auto")
    # The lightest shade is cut off, so that a count of 1 is visibly different from 0.
    shades = ListedColormap(style.SHADES(np.linspace(0.25, 1, 256)))
    norm = LogNorm(1, max(10, coverage["count"].max() or 0))
    taken = axes.imshow(np.where(counts > 0, counts, np.nan), cmap=shades, norm=norm, aspect="auto")
    figure.colorbar(taken, label="times taken", shrink=0.8)
    axes.set_xticks(range(len(events)), events, rotation=90, fontsize=8)
    axes.set_yticks(range(len(states)), states, fontsize=8)
    axes.set(xlabel="event", ylabel="state", title=title)
    axes.grid(visible=False)
    axes.tick_params(length=0)


def timeline(operations: pl.DataFrame, cycle: list[dict], margin: int, title: str) -> None:
    """Operations over time, and a cycle among them as `check --format json` gives it. Each thread has a lane for each location."""
    ticks = [operation[end] for operation in cycle for end in ("issued", "completed") if end in operation]
    start, end = max(0, min(ticks) - margin), max(ticks) + margin
    begins = pl.coalesce("issued", "completed")
    seen = operations.filter(pl.col("completed") >= start, begins <= end).drop_nulls("address").with_columns(begins.alias("begins"))
    locations, threads = (seen[name].unique().sort().to_list() for name in ("address", "thread"))

    def height(operation: dict) -> float:
        lane = (locations.index(operation["address"]) + 0.5) / len(locations)
        return threads.index(operation["thread"]) + 0.1 + 0.8 * lane

    figure, axes = plt.subplots(figsize=(9, 0.9 + 1.1 * len(threads)))
    for operation in seen.iter_rows(named=True):
        color = style.other(locations.index(operation["address"]))["color"]
        if operation["kind"] == "load":
            axes.plot(operation["completed"], height(operation), "D", markersize=5, color=color)
        else:
            axes.barh(height(operation), operation["completed"] - operation["begins"], 0.11, operation["begins"], color=color, alpha=0.7)
    for one, next in zip(cycle, cycle[1:] + cycle[:1]):
        places = [(operation["completed"], height(operation)) for operation in (one, next)]
        arrow = {"arrowstyle": "-|>", "connectionstyle": "arc3,rad=0.15", "shrinkA": 5, "shrinkB": 5, "linewidth": 1.4}
        axes.annotate("", places[1], places[0], arrowprops={**arrow, "color": style.BLACK})
        middle = [sum(pair) / 2 for pair in zip(*places)]
        axes.annotate(one["edge"], middle, (9, 0), textcoords="offset points", va="center", fontweight="bold", bbox=BACKGROUND)
        name = f"T{one['thread']}:{one['index']}"
        axes.annotate(name, places[0], (-7, 5), textcoords="offset points", ha="right", fontsize=8)
    for number, location in enumerate(locations):
        axes.barh(0, 0, color=style.other(number)["color"], label=f"{location:#x}")
    for border in range(1, len(threads)):
        axes.axhline(border, color=style.GREY, linewidth=0.8)
    axes.set(xlim=(start, end), ylim=(len(threads), 0), xlabel="time (ticks)", title=title)
    axes.set_yticks([place + 0.5 for place in range(len(threads))], [f"thread {thread}" for thread in threads])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.legend(title="location", loc="center left", bbox_to_anchor=(1, 0.5))
