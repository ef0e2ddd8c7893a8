"""Planning, computing, resuming and judging of items."""

import pytest

from hpo_papers.frame.catalogue import PAPERS, NamedItem, chosen_items, items_of
from hpo_papers.frame.item import WORDS, Comparison, all_equal, claims_hold, impossible
from hpo_papers.frame.part_store import PartStore
from hpo_papers.frame.plan import make_plan
from hpo_papers.frame.reproduction import ReproductionSettings, reproduce
from hpo_papers.frame.work import Work
from hpo_papers.frame.workers import Workers

MADE = NamedItem("made", "made/squares", "made_item")


@pytest.fixture(autouse=True)
def folder_of_calls(tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_ITEM_FOLDER", str(tmp_path / "runs"))


def run(out, cpu_seconds=None, **settings):
    return list(reproduce(make_plan([MADE], cpu_seconds), ReproductionSettings(out, **settings)))


def calls(out):
    return (out / "runs" / "calls.txt").read_text().split()


def test_all_runs_without_a_limit_and_fewer_with_one():
    assert [each.runs for each in make_plan([MADE])] == [10]
    assert [(each.runs, each.cpu_seconds) for each in make_plan([MADE], 9.0)] == [(4, 8.0)]
    assert [each.runs for each in make_plan([MADE], 1.0)] == [2]  # the fewest, however short the time


def test_a_limit_is_shared_in_proportion():
    assert [each.runs for each in make_plan([MADE, MADE], 20.0)] == [5, 5]


@pytest.mark.parametrize(
    "engine", ["serial", *(pytest.param(name, marks=pytest.mark.slow) for name in ("processes", "dask"))]
)
def test_numbers_and_verdict(tmp_path, engine):
    (result,) = run(tmp_path, engine=engine, processes=2)
    assert result.numbers == {"squares": [n**2 for n in range(10)]}
    assert result.verdict.word == "reproduced"
    (short,) = run(tmp_path, 9.0, engine=engine, processes=2)
    assert (short.runs, short.verdict.word) == (4, "differs")


@pytest.mark.slow
def test_a_part_of_two_items_at_the_same_time_is_computed_once(tmp_path):
    settings = ReproductionSettings(tmp_path, engine="processes", processes=2)
    first, second = reproduce(make_plan([MADE, MADE]), settings)
    assert first.numbers == second.numbers
    shared = Workers("processes", 2)
    seconds = [shared.submit("key", sum, (range(10**6),)).result()[1] for _ in range(2)]
    shared.close()
    assert seconds[0] > seconds[1] == 0.0
    assert sorted(map(int, calls(tmp_path))) == list(range(10))


def test_an_item_that_breaks_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr("hpo_papers.frame.reproduction._reproduced", lambda named, *of: 1 / named.runs)
    results = reproduce(
        [each._replace(runs=n) for n, each in zip((1, 0, 2), 3 * make_plan([MADE]), strict=True)],
        ReproductionSettings(tmp_path),
    )
    assert next(results) == 1.0
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_what_was_killed_goes_on_from_there(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "broken").touch()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert calls(tmp_path) == ["0", "1", "2", "3"]
    (tmp_path / "runs" / "broken").unlink()
    (result,) = run(tmp_path)
    assert calls(tmp_path) == ["0", "1", "2", "3", *(str(n) for n in range(3, 10))]
    assert result.verdict.word == "reproduced"


def test_finished_numbers_are_not_computed_again(tmp_path):
    run(tmp_path)
    before = calls(tmp_path)
    (again,) = run(tmp_path)
    assert calls(tmp_path) == before
    assert again.verdict.word == "reproduced"


def test_other_code_is_computed_again(tmp_path, monkeypatch):
    from hpo_papers.frame import reproduction, work

    run(tmp_path)
    for module in (reproduction, work):
        monkeypatch.setattr(module, "inputs_digest", lambda *of: "another")
    run(tmp_path)
    assert len(calls(tmp_path)) == 20


def test_no_part_is_started_after_the_time(tmp_path):
    (result,) = run(tmp_path, seconds=-1.0)
    assert result.verdict is None
    assert result.left.startswith("not begun")
    assert not (tmp_path / "runs").exists()


def test_time_that_ends_in_the_middle(tmp_path, monkeypatch):
    from hpo_papers.frame import work

    checks = iter(range(100))
    with monkeypatch.context() as patched:
        patched.setattr(work.Deadline, "is_over", property(lambda self: next(checks) >= 4))
        (result,) = run(tmp_path)
    assert result.verdict is None
    assert result.left.startswith("begun")
    assert 0 < len(calls(tmp_path)) < 10
    (result,) = run(tmp_path)
    assert sorted(map(int, calls(tmp_path))) == list(range(10))


def test_rules():
    near, far = Comparison("a", 0.5, 0.50049), Comparison("b", 0.5, 0.5006)
    assert near.equal and not far.equal
    assert all_equal([near]).word == "reproduced"
    assert all_equal([near, far]).word == "differs"
    assert "b: 0.5006" in all_equal([near, far]).reason
    assert all_equal([Comparison("c", None, 1.0)]).word == "differs"  # nothing printed is no agreement
    assert Comparison("d", 0.5, 0.6, 0.45, 0.7).within and not Comparison("d", 0.4, 0.6, 0.45, 0.7).within
    assert claims_hold({"x": True}).word == "reproduced"
    assert claims_hold({"x": True, "y": False}) == ("differs", "not so: y")
    assert impossible("t", "p", "q", "no GPU").verdict({}) == ("not possible", "no GPU")


def test_unknown_names_are_told_with_the_nearest():
    with pytest.raises(KeyError, match="makarova2022"):
        chosen_items(["makarova2023"])
    with pytest.raises(KeyError, match="table-3"):
        chosen_items(["makarova2022/table_3"])


def test_every_item_is_described():
    for paper in PAPERS:
        for named in items_of(paper):
            item = named.item
            for text in (item.title, item.printed, item.protocol, item.rule):
                assert text.strip(), named.name
            assert any(word in item.rule for word in WORDS), named.name
            assert 0 <= item.least <= item.runs
            assert item.cost(item.least) <= item.cost(item.runs)


def test_thinned_only_at_the_smallest_size(tmp_path):
    store = PartStore(tmp_path / "parts.sqlite")
    assert Work(store, Workers(), 1).thinned(range(9), 3) == list(range(9))
    small = Work(store, Workers(), 1, smallest=True)
    assert small.thinned(range(9), 3) == [0, 4, 8]
    assert small.thinned([5], 3) == [5]
