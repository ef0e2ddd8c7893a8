"""Hostile CSV files: recorded runs for `hpo stop replay`, results for tables and surrogates, datasets to train on."""

import bz2
import gzip
import io
import lzma
import shutil
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from changes import altered, cut, own_cache, picked, planted
from hostile_stores import small_store
from recorded_rows import recorded
from sandbox import Case

from hpo_cli.main import main
from hpo_core import Benchmark
from hpo_leaderboard.store.export import export_trials
from tabular.frames.roles import roles_of
from tabular.surrogates.rows.reading import read_rows
from tabular.surrogates.rows.records import records_of
from tabular.surrogates.scales import fitting_scales
from tabular.surrogates.trees.bins import bins_of

CELLS = (
    *(
        "",
        "x",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "-1",
        "1.5",
        "1e308",
        "-1e308",
        "5e-324",
        "9" * 400,
        "1_000",
        "0x10",
        "1,5",
    ),
    *(
        "None",
        "true",
        "null",
        "[]",
        "{}",
        "[1, 2]",
        '{"x": 1}',
        '{"x": [1]}',
        '{"x": NaN}',
        '{"x1": "a"}',
        '{"a":' * 500,
    ),
    *("a" * 50_000, "\x1b[31mred", "=1+1", "$x_{", "\0", "\u2028", "ä", "'", '"', '"a', "os:system", "planted:problem"),
    *("../../x", "2**63", str(2**63), str(10**30), "1e-400", "\ufeff", "profet-svm/0..999999999"),
)
TABLE_OPTIONS = ("--loss", "error", "--cost", "seconds", "--budget", "epoch", "--repetition", "repetition")
COMMANDS = {
    "runs": (
        ("stop", "replay", "FILE", "--criteria", "conv:2"),
        ("stop", "replay", "FILE", "--criteria", "conv:2", "cv-regret-bound", "--json"),
        ("stop", "replay", "FILE", "--criteria", "regret-bound:0.1", "--csv"),
    ),
    "results": (
        ("table", "import", "FILE", *TABLE_OPTIONS, "--name", "own"),
        ("table", "import", "FILE", "--loss", "error", "--config", "lr,depth,solver", "--name", "own"),
    ),
    "data": (("run", "cv-lm-FILE", "rs", "--trials", "1"), ("run", "cv-lm-FILE", "rs", "--trials", "1", "--csv")),
}
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def sound_files(folder):
    """Frames of each kind: trials as a store exports them, results with conditions, a dataset with texts."""
    export_trials(small_store(folder / "s.sqlite"), folder / "trials.csv")
    trials = pd.read_csv(folder / "trials.csv")
    spread = trials.assign(hp_x=np.linspace(0, 1, len(trials)), hp_kind="a", fold_0=1.0, fold_1=2.0).drop(
        columns="config"
    )
    rng = np.random.default_rng(3)
    data = pd.DataFrame(rng.random((60, 3)), columns=["a", "b", "y"]).assign(colour=rng.choice(["red", "blue"], 60))
    results = recorded(60, budgets=(1, 3), n_repetitions=2, noise=0.1)
    full = results[["lr", "depth", "solver", "epoch", "repetition", "error", "seconds"]]
    return {"runs": [trials, spread], "results": [results, full], "data": [data[["a", "colour", "b", "y"]]]}


def odd_cell(frame, rng):
    """One cell holds something else."""
    changed = frame.astype(object).copy()
    changed.iat[int(rng.integers(len(frame))), int(rng.integers(frame.shape[1]))] = picked(CELLS, rng)
    return changed, "a cell"


def odd_column(frame, rng):
    """All cells of a column hold the same odd value, or one of two."""
    changed = frame.astype(object).copy()
    column = int(rng.integers(frame.shape[1]))
    values = [picked(CELLS, rng) for _ in range(int(rng.integers(1, 3)))]
    changed.isetitem(column, [values[i % len(values)] for i in range(len(frame))])
    return changed, f"column {frame.columns[column]}"


def odd_header(frame, rng):
    """A column with another name, without it, or there twice."""
    column = int(rng.integers(frame.shape[1]))
    kind = int(rng.integers(3))
    if kind == 0:
        return frame.drop(columns=frame.columns[column]), f"no {frame.columns[column]}"
    if kind == 1:
        return pd.concat([frame, frame.iloc[:, [column]]], axis=1), f"{frame.columns[column]} twice"
    names = list(frame.columns)
    names[column] = picked(CELLS, rng)
    return frame.set_axis(names, axis=1), f"another name for {frame.columns[column]}"


def odd_rows(frame, rng):
    """No rows, one, all equal, or in another order."""
    kind = int(rng.integers(4))
    chosen = [frame.iloc[:0], frame.iloc[:1], frame.iloc[[0] * len(frame)], frame.sample(frac=1.0, random_state=0)][
        kind
    ]
    return chosen, f"rows {kind}"


MAKERS = (odd_cell, odd_cell, odd_column, odd_header, odd_rows)


def packed(content, rng):
    """Contents and ending of a file, most often not packed."""
    ending = picked(["", "", "", "", *PACKERS, ".zip"], rng)
    if ending == ".zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.csv", content)
        content = buffer.getvalue()
    elif ending:
        content = PACKERS[ending](content)
    return content, f".csv{ending}"


def bomb(rng):
    """A small file that unpacks to 200 MB, or a large part of it in one line."""
    line = picked([b"a,b\n", b"1", b"\n", b'"', b"\0"], rng)
    return gzip.compress(line * (200_000_000 // len(line)), 1), ".csv.gz"


def made(frame, rng):
    """Contents of a hostile file, its ending, and what was done."""
    kind = rng.random()
    if kind < 0.02:
        return *bomb(rng), "bomb"
    if kind < 0.65:
        changed, words = picked(MAKERS, rng)(frame, rng)
        return *packed(changed.to_csv(index=False).encode(errors="surrogatepass"), rng), words
    content, ending = packed(frame.to_csv(index=False).encode(), rng)
    if kind < 0.8:
        return altered(content, rng), ending, "bytes"
    if kind < 0.9:
        return cut(content, rng), ending, "cut"
    encoding = picked(["utf-16", "utf-8-sig", "cp1252", "utf-32"], rng)
    return frame.assign(ä="ö").to_csv(index=False).encode(encoding), ".csv", encoding


def cases(folder, rng, n):
    """n cases."""
    frames = sound_files(planted(folder))
    for _ in range(n):
        kind = picked(list(frames), rng)
        content, ending, words = made(picked(frames[kind], rng), rng)
        path = folder / f"hostile{ending}"
        path.write_bytes(content)
        if kind == "results" and rng.random() < 0.5:
            yield Case(f"rows of a surrogate {ending} {words}", partial(rows_of_surrogate, path))
            continue
        chosen = picked(COMMANDS[kind], rng)
        yield Case(f"{kind} {ending} {words}: hpo {' '.join(chosen)}", partial(command, path, chosen))


def rows_of_surrogate(path):
    """What `hpo surrogate train` makes of a file before it begins to train."""
    frame = read_rows(path)
    roles = roles_of(frame, loss="error", cost="seconds", budget="epoch", repetition="repetition")
    records = records_of(frame, roles, failed="worst")
    return bins_of(records.space, records.codes, records.budgets, log_budget=False), fitting_scales(records.losses)


def command(path, words):
    """Run a command of `hpo` on a file that is copied into the current directory; then use what it made."""
    own_cache()
    name = "f" + "".join(path.suffixes)
    shutil.copy(path, name)
    status = main([word.replace("FILE", str(Path(name).absolute()) if "cv-" in word else name) for word in words])
    if status == 0 and words[0] in ("table", "surrogate"):
        benchmark = Benchmark("own")
        benchmark.objective(benchmark.space.sample(np.random.default_rng(0)), seed=0)
    return status
