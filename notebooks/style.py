"""Colours and markers: what is called the same looks the same, here and in the figures of `rubric report`.

The colours are those of Okabe and Ito, which people with any of the common colour blindnesses tell apart, with a darker yellow:
theirs is too light for lines.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

BLACK = "#000000"
BLUE = "#0072b2"
VERMILLION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#cc79a7"
ORANGE = "#e69f00"
OLIVE = "#a09100"
SKY = "#56b4e9"
GREY = "#828282"

# Colour and marker.
LOOKS = {
    "cc": (SKY, "+"),
    "ccv": (PURPLE, "x"),
    "cf": (GREY, "x"),
    "cm": (OLIVE, "v"),
    "ccm": (VERMILLION, "s"),
    "wccm": (VERMILLION, "D"),
    "wsc": (BLUE, "o"),
    "wtso": (BLUE, "^"),
    "kernel": (BLACK, "D"),
    "sc": (BLACK, "s"),
    "tso": (ORANGE, "v"),
    "pso": (GREEN, "^"),
    "protocol error": (GREY, "s"),
}
# What has no look above, and is no algorithm: protocols, threads, locations.
OTHERS = [(BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P"), (BLACK, "X")]
# The larger the share, the darker.
SHADES = LinearSegmentedColormap.from_list("shades", ["#f7fbff", "#084594"])


def look(name: str) -> dict[str, str]:
    """How an algorithm or criterion is drawn."""
    color, marker = LOOKS.get(name, (GREY, "."))
    return {"color": color, "marker": marker}


def other(number: int) -> dict[str, str]:
    """How the one of this number among protocols, threads or the like is drawn."""
    color, marker = OTHERS[number % len(OTHERS)]
    return {"color": color, "marker": marker}


def use() -> None:
    """Makes all pictures alike, and small as files."""
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
