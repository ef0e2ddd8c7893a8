"""Names that become files stay in their directories."""

import pytest

from hpo_core import Benchmark
from hpo_core.errors import HpoError, InvalidOption
from hpo_core.storage.files import cache_directory
from hpo_core.storage.own_files import OwnFiles, is_plain_name

OWN = OwnFiles("kind", "thing", "table", lambda: ())


@pytest.mark.parametrize("name", ["../x", "/abs/x", "a/b", "a\\b", "..", ".", "a\0b", "x" * 201])
def test_a_name_that_is_a_path_is_none(name):
    assert not is_plain_name(name) and not OWN.has(name)
    with pytest.raises(InvalidOption, match="the name of a thing"):
        OWN.path(name)


@pytest.mark.parametrize("name", ["../../x", "mini-../../x", "profet-../../x/0", "/etc/passwd", "nb201-\0", "x" * 5000])
def test_benchmarks_are_not_looked_for_elsewhere(name):
    with pytest.raises(HpoError):
        Benchmark(name)


def test_evaluations_on_a_users_file_are_cached_inside_of_the_cache(tmp_path, monkeypatch):
    rows = "\n".join(f"{i % 7},{i % 3},{(i * i) % 11}" for i in range(60))
    (tmp_path / "data.csv").write_text(f"a,b,y\n{rows}\n")
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b" / "c")
    path = Benchmark("cv-lm-../../../data.csv").problem.cache.path
    assert path.parent.parent == cache_directory() and ".." not in path.parts
    assert path != Benchmark("cv-rf-../../../data.csv").problem.cache.path
