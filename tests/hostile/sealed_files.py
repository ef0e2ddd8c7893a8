"""Sealed files as a stranger may write them: any header, arrays and structure, under a seal that is in order."""

import json
import shutil
from pathlib import Path

import h5py
import numpy as np
from changes import altered, odd_json, picked

from hpo_core.storage import sealed_hdf5
from hpo_core.storage.sealed_hdf5 import SEAL_SIZE

TYPES = (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.uint64, np.bool_, np.complex128, "S5")


def reseal(path, kind):
    sealed_hdf5._write_seal(path, kind, sealed_hdf5.checksum(path))
    return path


def contents(path):
    """Header and arrays of a sound file."""
    with h5py.File(path) as file:
        return json.loads(file.attrs["header"]), {name: array[()] for name, array in file["columns"].items()}


def rewritten(path, kind, header, arrays):
    """Write a sealed file of any header and arrays, without the checks of the writer."""
    path.unlink(missing_ok=True)
    with h5py.File(path, "w", userblock_size=SEAL_SIZE) as file:
        file.attrs["header"] = header if isinstance(header, (str, bytes, int)) else json.dumps(header, sort_keys=True)
        for name, array in arrays.items():
            file.create_dataset(f"columns/{name}", data=array)
    return reseal(path, kind)


def odd_header(good, path, kind, rng):
    """Another value at some place of the header."""
    header, arrays = contents(good)
    changed, place = odd_json(header, rng)
    try:
        rewritten(path, kind, changed, arrays)
    except (ValueError, UnicodeEncodeError):  # a text that HDF5 itself does not take
        rewritten(path, kind, {}, arrays)
    return f"header {place}"


def odd_array(good, path, kind, rng):
    """Another type, shape or number in one of the arrays; or one more, or one less."""
    header, arrays = contents(good)
    name = picked(sorted(arrays), rng)
    array = arrays[name]
    change = int(rng.integers(8))
    if change == 0:
        del arrays[name]
    elif change == 1:
        arrays["other"] = array
    elif change == 2:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(picked(TYPES, rng))
    elif change == 3:
        arrays[name] = picked([array[:-1], array[:0], array[None], array.ravel(), array.T, np.float64(1.0)], rng)
    elif change == 4:
        arrays[name] = np.concatenate([array, array])
    else:
        changed = array.astype(float) if rng.random() < 0.3 else array.copy()
        values = [0, 1, 255, -1, 1e308, -1e308, 5e-324, np.nan, np.inf, -np.inf]
        with np.errstate(all="ignore"):
            spot = np.unravel_index(int(rng.integers(array.size)), array.shape)
            wide = changed if changed.dtype.kind == "f" else changed.astype(float)
            wide[spot if change < 7 else ...] = picked(values, rng)
            arrays[name] = wide if changed.dtype.kind == "f" else wide.astype(array.dtype)
    rewritten(path, kind, header, arrays)
    return f"array {name}, change {change}"


def odd_bytes(good, path, kind, rng):
    """Other bytes behind the seal, which is in order."""
    path.write_bytes(altered(good.read_bytes(), rng, SEAL_SIZE))
    reseal(path, kind)
    return "bytes"


def odd_seal(good, path, kind, rng):
    """Another value in the seal."""
    whole = good.read_bytes()
    seal, _ = odd_json(json.loads(whole[:SEAL_SIZE]), rng)
    path.write_bytes(json.dumps(seal).encode()[:SEAL_SIZE].ljust(SEAL_SIZE) + whole[SEAL_SIZE:])
    return "seal"


def odd_structure(good, path, kind, rng):
    """Links, virtual and external arrays, arrays that were never written, bombs, and what is no array."""
    change = picked(list(STRUCTURES), rng)
    shutil.copy(good, path)
    with h5py.File(path, "r+") as file:
        columns = file["columns"]
        STRUCTURES[change](file, columns, picked(sorted(columns), rng))
    reseal(path, kind)
    return change


def _external_link(file, columns, name):
    del columns[name]
    columns[name] = h5py.ExternalLink("/etc/passwd", "/x")


def _soft_link(file, columns, name):
    file[f"moved-{name}"] = columns[name]
    del columns[name]
    columns[name] = h5py.SoftLink(f"/moved-{name}")


def _linked_group(file, columns, name):
    file.move("columns", "elsewhere")
    file["columns"] = h5py.SoftLink("/elsewhere")


def _circle(file, columns, name):
    columns["again"] = columns


def _external(file, columns, name):
    shape = columns[name].shape
    del columns[name]
    columns.create_dataset(name, shape, dtype="u1", external=[("/etc/passwd", 0, int(np.prod(shape)))])


def _virtual(file, columns, name):
    array = columns[name]
    layout = h5py.VirtualLayout(array.shape, array.dtype)
    layout[...] = h5py.VirtualSource("/etc/passwd", "x", array.shape)
    del columns[name]
    columns.create_virtual_dataset(name, layout)


def _unwritten(file, columns, name):
    del columns[name]
    columns.create_dataset(name, (600_000_000,), dtype="f8", chunks=(1_000_000,))


def _unwritten_whole(file, columns, name):
    del columns[name]
    columns.create_dataset(name, (600_000_000,), dtype="f8")


def _bomb(file, columns, name):
    del columns[name]
    made = columns.create_dataset(name, (400, 100_000), "f8", chunks=(1, 100_000), compression="gzip")
    made[0] = 0.0
    chunk = made.id.read_direct_chunk((0, 0))[1]
    for i in range(1, 400):
        made.id.write_direct_chunk((i, 0), chunk)


def _many_links(file, columns, name):
    array = columns[name][()]
    del columns[name]
    columns.create_dataset(name, data=np.zeros(max(1_000_000, array.size)), compression="gzip")
    for i in range(300):
        columns[f"copy{i}"] = columns[name]


def _texts(file, columns, name):
    del columns[name]
    columns.create_dataset(name, data=["a", "b"], dtype=h5py.string_dtype())


def _references(file, columns, name):
    del columns["loss" if "loss" in columns else name]
    columns.create_dataset("loss", data=[file.ref], dtype=h5py.ref_dtype)


def _records(file, columns, name):
    del columns[name]
    columns.create_dataset(name, data=np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]))


def _group(file, columns, name):
    del columns[name]
    columns.create_group(name)


def _nothing(file, columns, name):
    del columns[name]
    columns.create_dataset(name, data=h5py.Empty("f8"))


def _no_columns(file, columns, name):
    del file["columns"]


def _no_header(file, columns, name):
    del file.attrs["header"]


def _deep_header(file, columns, name):
    file.attrs["header"] = '{"name":' * 5000


def _number_header(file, columns, name):
    file.attrs["header"] = 5


def _list_header(file, columns, name):
    file.attrs["header"] = "[1]"


def _no_text_header(file, columns, name):
    file.attrs["header"] = np.bytes_(b"\xff\xfe{")


def _other_names(file, columns, name):
    columns.move(name, "\x1b[31m=1+1")


def _lossy(file, columns, name):
    array = columns[name][()]
    del columns[name]
    columns.create_dataset(name, data=array, compression="lzf", chunks=True if array.size else None)


STRUCTURES = {
    f.__name__.strip("_"): f
    for f in (
        *(_external_link, _soft_link, _linked_group, _circle, _external, _virtual, _unwritten, _unwritten_whole, _bomb),
        *(_many_links, _texts, _references, _records, _group, _nothing, _no_columns, _no_header, _deep_header),
        *(_number_header, _list_header, _no_text_header, _other_names, _lossy),
    )
}
MAKERS = {
    "header": odd_header,
    "array": odd_array,
    "structure": odd_structure,
    "bytes": odd_bytes,
    "seal": odd_seal,
}


def made(good, path, kind, rng):
    """A hostile copy of a sound file at `path`, and what was done, in words."""
    name = picked(list(MAKERS), rng)
    return f"{name} ({MAKERS[name](Path(good), path, kind, rng)})"
