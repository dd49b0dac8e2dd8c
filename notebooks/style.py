"""Colours and markers. An algorithm has the same style as in the figures of `rubric report`.

The colours are those of Okabe and Ito, which remain distinct with the common forms of colour blindness. The yellow is darker, since theirs
is too light for lines.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

import program

BLACK = "#000000"
BLUE = "#0072b2"
VERMILLION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#cc79a7"
ORANGE = "#e69f00"
OLIVE = "#a09100"
SKY = "#56b4e9"
GREY = "#828282"

# Names of markers in rubric, and in matplotlib.
MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "triangle-down": "v", "diamond": "D", "cross": "x", "plus": "+", "dash": "_"
}
# Styles of series that are not algorithms: protocols, threads, locations.
OTHERS = [(BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P"), (BLACK, "X")]
# Colours of shares: the larger, the darker.
SHADES = LinearSegmentedColormap.from_list("shades", ["#f7fbff", "#084594"])


def series(name: str) -> dict[str, str]:
    """The style of an algorithm or criterion, as in the figures of `rubric report`."""
    for one in program.lists()["series"]:
        if one["name"] == name:
            return {"color": one["color"], "marker": MARKERS[one["marker"]]}
    return {"color": GREY, "marker": "."}


def other(number: int) -> dict[str, str]:
    """The style of the protocol, number of threads or the like with this number."""
    color, marker = OTHERS[number % len(OTHERS)]
    return {"color": color, "marker": marker}


def use() -> None:
    """Sets the same style for all figures, with small files."""
    plt.rcParams.update({
        "figure.figsize": (7.5, 3.6),
        "figure.dpi": 90,
        "figure.constrained_layout.use": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.titlesize": "medium",
        "axes.titlelocation": "left",
        "grid.color": "#e4e4e4",
        "legend.frameon": False,
        "lines.markersize": 6,
    })
