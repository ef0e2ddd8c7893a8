"""Hostile files of runs: flips of sealed ones, and any contents under a checksum that is in order."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
from changes import altered, cut, flipped, odd_json, odd_value, own_cache, picked, planted, same_or_refused
from sandbox import Case

from hpo_cli.main import main
from hpo_core import Run, run
from hpo_core.running.run_file import _checksum

COMMANDS = (
    ("stop", "replay", "r.jsonl", "--criteria", "conv:2"),
    ("stop", "replay", "r.jsonl", "--criteria", "conv:2", "ei", "--json"),
    ("stop", "replay", "r.jsonl", "--criteria", "regret-bound", "--csv"),
    ("stop", "replay", "runs", "--criteria", "conv:2", "--out", "page"),
)


def sound_runs(folder):
    """Runs on functions, of one worker and of several, and one with several budgets."""
    made = []
    for i, (benchmark, optimizer) in enumerate(
        (("branin", "rs"), ("counting-ones-4-4", "hyperband"), ("forrester", "de"))
    ):
        run(benchmark, optimizer, n_trials=12, seed=i, workers=1 + i).save(folder / f"{i}.jsonl")
        made.append(folder / f"{i}.jsonl")
    return made


def resealed(lines):
    """The lines of a file with the checksum that belongs to them."""
    try:
        first = json.loads(lines[0])
        first["sha256"] = _checksum(first, lines[1:])
        return [json.dumps(first), *lines[1:]]
    except (ValueError, TypeError, AttributeError):
        return lines


def odd_line(lines, rng):
    """One place of the line about the run, or of a trial, holds something else."""
    i = 0 if rng.random() < 0.4 else int(rng.integers(1, len(lines)))
    changed, place = odd_json(json.loads(lines[i]), rng)
    lines[i] = json.dumps(changed)
    return place


def odd_trials(lines, rng):
    """The same field of all trials holds the same odd value."""
    field = picked(list(json.loads(lines[1])), rng)
    value = odd_value(rng)
    lines[1:] = [json.dumps({**json.loads(line), field: value}) for line in lines[1:]]
    return f"every {field}"


def odd_config(lines, rng):
    """The configurations hold something else, in all trials or in one."""
    name, value = picked(list(json.loads(lines[1])["config"]), rng), odd_value(rng)
    for i in range(1, len(lines) if rng.random() < 0.5 else 2):
        trial = json.loads(lines[i])
        trial["config"][name] = value
        lines[i] = json.dumps(trial)
    return f"config {name}"


def odd_lines(lines, rng):
    """Lines are there twice, in another order, or are no trials."""
    kind = int(rng.integers(4))
    if kind == 0:
        lines[1:] = [lines[int(i)] for i in rng.permutation(np.arange(1, len(lines)))]
    elif kind == 1:
        lines[1:] = []
        lines[0] = json.dumps({**json.loads(lines[0]), "n_trials": 0})
    else:
        lines[int(rng.integers(1, len(lines)))] = picked(
            ["", "null", "[]", "{", "{}", '{"a":' * 3000, "1e999", "x"], rng
        )
    return f"lines {kind}"


MAKERS = (odd_line, odd_line, odd_trials, odd_config, odd_lines)


def cases(folder, rng, n):
    """n cases."""
    goods = sound_runs(planted(folder))
    path = folder / "hostile.jsonl"
    for _ in range(n):
        good = picked(goods, rng)
        content = good.read_bytes()
        if rng.random() < 0.3:
            path.write_bytes(picked([flipped, flipped, altered, cut], rng)(content, rng))
            yield Case(f"flip of {good.stem}", partial(same_or_refused, partial(Run.load, path), Run.load(good)))
            continue
        lines = content.decode().splitlines()
        words = picked(MAKERS, rng)(lines, rng)
        path.write_text("\n".join(resealed(lines)) + "\n")
        chosen = picked(COMMANDS, rng)
        yield Case(f"{good.stem}, {words}: hpo {' '.join(chosen)}", partial(command, path, chosen))


def command(path, words):
    """Run a command of `hpo` on a run that is copied into the current directory."""
    own_cache()
    Path("runs").mkdir()
    shutil.copy(path, "r.jsonl")
    shutil.copy(path, "runs/r.jsonl")
    frame = Run.load(path).frame()
    assert len(frame) >= 0
    return main(list(words))
