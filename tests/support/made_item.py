"""An item for the tests of the frame: squares of whole numbers, part by part; calls are noted in a file.

The environment variable MADE_ITEM_FOLDER says in which folder.
"""

import os
from pathlib import Path

from hpo_papers.frame.item import Comparison, Item, Verdict


def square(folder, number):
    with (Path(folder) / "calls.txt").open("a") as file:
        file.write(f"{number}\n")
    if number == 3 and (Path(folder) / "broken").exists():
        raise KeyboardInterrupt
    return number**2


def compute(work):
    folder = Path(os.environ["MADE_ITEM_FOLDER"])
    folder.mkdir(parents=True, exist_ok=True)
    return {"squares": work.parts(square, [(str(folder), n) for n in range(work.runs)])}


def compare(numbers):
    return [Comparison("sum", 285.0, float(sum(numbers["squares"])), digits=0)]


def draw(numbers):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot(numbers["squares"])
    return figure


ITEM = Item(
    title="Figure 0: squares < 100",
    printed="the sum is 285",
    protocol="ten squares",
    departures="",
    rule="reproduced if the sum is equal",
    compute=compute,
    verdict=lambda numbers: Verdict("reproduced" if compare(numbers)[0].equal else "differs", "by the sum"),
    compare=compare,
    draw=draw,
    cost=lambda runs: 2.0 * runs,
    runs=10,
    least=2,
)
