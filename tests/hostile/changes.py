"""Changes that any file or any plain data may suffer: flips, cuts, and values of another type or size."""

import copy
import os
from pathlib import Path

from sandbox import PLANTED

ODD = (
    *(None, True, -1, 0, 1.5, 2**31, 2**63, 10**30, 10**400, float("nan"), float("inf"), -float("inf"), 1e308, 5e-324),
    *("", "x", "\x1b[31mred", "$x_{", "=1+1", "a\nb", "a\0b", "\ud800", "a" * 20_000, "../../x", "os:system"),
    *(
        f"{PLANTED}:problem",
        "cv-lm-/etc/passwd.csv",
        [],
        {},
        [[]],
        [None],
        ["x"],
        [1, 2],
        {"a": 1},
        {"range": [1, 10**12]},
    ),
    *([1e308] * 3, [0] * 5000, {"kind": "int", "name": "n", "low": 0, "high": 10**400}, {"range": [1, 10**12]}),
)


def flipped(content, rng):
    """The bytes with one bit changed."""
    changed = bytearray(content)
    changed[int(rng.integers(len(changed)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def altered(content, rng, start=0):
    """The bytes with one to three of them others, behind a start."""
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        changed[int(rng.integers(start, len(changed)))] = int(rng.integers(256))
    return bytes(changed)


def cut(content, rng):
    """The bytes without their end, without a part, or with zeros in place of a part."""
    a, b = sorted(rng.integers(len(content), size=2).tolist())
    return [content[:a], content[:a] + content[b:], content[:a] + bytes(b - a) + content[b:]][int(rng.integers(3))]


def odd_value(rng):
    return copy.deepcopy(ODD[int(rng.integers(len(ODD)))])


def odd_json(data, rng):
    """A copy of plain data in which one place holds something else, is gone or is there twice; and which place."""
    changed = copy.deepcopy(data)
    places = list(_places(changed))
    place, key = places[int(rng.integers(len(places)))]
    kind = rng.random()
    if kind < 0.15:
        del place[key]
    elif kind < 0.25 and isinstance(place, list):
        place.append(copy.deepcopy(place[key]))
    elif kind < 0.35 and isinstance(place[key], (int, float)) and not isinstance(place[key], bool):
        place[key] = place[key] * float(rng.choice([-1.0, 1e10, 1e-10, 0.0]))
    else:
        place[key] = odd_value(rng)
    return changed, str(key)[:40]


def _places(data):
    keys = data.keys() if isinstance(data, dict) else range(len(data))
    for key in list(keys):
        yield data, key
        if isinstance(data[key], (dict, list)) and data[key]:
            yield from _places(data[key])


def own_cache():
    """Make the cache directory of this process one inside of its current directory."""
    os.environ["HPO_FOUNDRY_CACHE"] = str(Path("cache").absolute())


def planted(folder):
    """The folder, with a module in it that nobody may import."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{PLANTED}.py").write_text("problem = print\n")
    return folder


def picked(options, rng):
    return options[int(rng.integers(len(options)))]


class Differs(Exception):
    """A changed file that was read, and gave other values than the file before the change."""


def same_or_refused(read, before):
    """Read a file whose every change must be found: it gives the same values, or raises an error of ours."""
    if read() != before:
        raise Differs("a changed file was read and means something else")
