"""Suites from TOML and Python, and the plans made of them."""

import hashlib
import sys
from dataclasses import replace

import numpy as np
import pytest

from hpo_core import Benchmark, Categorical, Space, run
from hpo_core.errors import InvalidOption, MissingExtra, UnknownName
from hpo_core.problems.coco.names import coco_name
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.identity import checksum as checksum_of
from hpo_leaderboard.experiments.identity import close_benchmarks, open_benchmark
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.members import Member, expand
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.experiments.scoring import Scoring, Targets
from hpo_leaderboard.experiments.suite import built_in_suites, changed, make_suite, open_suite
from hpo_leaderboard.store.store import reading
from tabular.problem import TableProblem
from tabular.table import Table

MINE = """
name = "mine"
version = 3
benchmarks = ["branin", { name = "forrester", options = { a = 3.0 } }]
optimizers = ["rs", { name = "re", label = "small re", options = { population = 20 } }]
n_seeds = 2
n_trials = 7
"""


def test_a_suite_from_a_file_and_from_python_are_equal(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    written = make_suite(
        "mine",
        ["branin", Member("forrester", {"a": 3.0})],
        ["rs", {"name": "re", "label": "small re", "options": {"population": 20}}],
        version=3,
        n_seeds=2,
        n_trials=7,
    )
    assert open_suite(tmp_path / "mine.toml") == written
    assert [member.label for member in written.benchmarks] == ["branin", "forrester(a=3.0)"]


def unlimited(member):
    """The benchmark by its name and options alone, so that suites that share it open it once."""
    return Member(member.name, member.options)


@pytest.mark.slow
def test_built_in_suites_name_what_there_is():
    assert {"quick", "fcnet", "nb201", "functions"} <= set(built_in_suites())
    quick = open_suite("quick")
    assert (quick.n_seeds, quick.n_trials) == (20, 100)
    assert [member.name for member in quick.benchmarks][:4] == ["protein", "slice", "naval", "parkinsons"]
    assert (open_suite("fcnet").n_seeds, open_suite("fcnet").n_trials) == (500, 500)
    suites = [open_suite(name) for name in built_in_suites()]
    each_once = {each.label: each for suite in suites for each in map(unlimited, suite.benchmarks)}
    assert make_plan(make_suite("all", each_once.values(), ["rs"], n_seeds=1)).lost == []
    for suite in suites:  # optimizers with their options, on a benchmark of the suite
        assert make_plan(changed(suite, benchmarks=suite.benchmarks[:1], n_seeds=1)).lost == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("benchmarks = []\noptimizers = ['rs']", "needs benchmarks"),
        ("benchmarks = ['branin']", "needs optimizers"),
        ("benchmarks = 'branin'\noptimizers = ['rs']", r"\['branin'\]"),
        ("benchmarks = ['branin']\noptimizers = ['rs']\nn_seed = 3", "n_seeds"),
        ("benchmarks = ['branin']\noptimizers = ['rs']\nn_seeds = 0", "n_seeds"),
        ("benchmarks = ['branin']\noptimizers = ['rs']\nmax_cost = -1.0", "max_cost"),
        ("benchmarks = ['branin']\noptimizers = ['rs', 'rs']", "rs stand there twice"),
        ("benchmarks = ['branin']\noptimizers = [{ label = 'x' }]", "needs a name"),
        ("benchmarks = ['branin']\noptimizers = [{ name = 'rs', option = {} }]", "'option'"),
        ("benchmarks = ['branin']\noptimizers = [{ name = 'rs', options = { a = 2020-01-01 } }]", "JSON"),
        ("benchmarks = ['profet-svm/3..1']\noptimizers = ['rs']", "upwards"),
        ("benchmarks = [{ name = 'profet-svm/0..1', label = 'x' }]\noptimizers = ['rs']", "no label"),
        ("benchmarks = ['branin']\noptimizers = ['rs']\nresume = 'no'", "resume"),
        ("benchmarks = [{ name = 'branin', n_trials = 0 }]\noptimizers = ['rs']", "n_trials of branin"),
        ("benchmarks = [{ name = 'branin', max_cost = -1 }]\noptimizers = ['rs']", "max_cost of branin"),
        ("benchmarks = ['branin']\noptimizers = [{ name = 'rs', n_trials = 5 }]", "only benchmarks have limits"),
        ("benchmarks = [{ name = 'branin', n_seeds = 3 }]\noptimizers = ['rs']", "only optimizers have n_seeds"),
        ("benchmarks = ['branin']\noptimizers = [{ name = 'rs', n_seeds = 0 }]", "n_seeds of rs"),
        ("benchmarks = ['branin']\noptimizers = ['rs']\nincumbent = 'best'", "incumbent"),
        ("benchmarks = ['branin']\noptimizers = ['rs']\ntarget = 'sobol'", "targets"),
        ("benchmarks = [", "not a TOML file"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path, text, words):
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(InvalidOption, match=words):
        open_suite(tmp_path / "wrong.toml")


def test_an_unknown_suite_is_explained(tmp_path):
    with pytest.raises(UnknownName, match="did you mean quick"):
        open_suite("quik")
    with pytest.raises(FileNotFoundError):
        open_suite(tmp_path / "nowhere.toml")


def test_what_is_chosen_by_the_name_under_which_a_suite_reports_it_keeps_its_settings():
    own = [{"name": "re", "label": "re", "options": {"population": 20}}, {"name": "re", "label": "re-100"}, "rs"]
    limited = {"name": "branin", "n_trials": 7}
    suite = make_suite("mine", [limited, "profet-svm/0..2"], own)
    chosen = changed(suite, optimizers=["re-100", "re", "de"], benchmarks=["branin", "profet-svm/1..3"])
    assert [(m.name, dict(m.options), m.label) for m in chosen.optimizers] == [
        ("re", {}, "re-100"),
        ("re", {"population": 20}, "re"),
        ("de", {}, "de"),
    ]
    assert [m.n_trials for m in chosen.benchmarks] == [7, None, None, None]
    plain = changed(suite, optimizers=[{"name": "re", "label": "re"}])  # a mapping says all of it
    assert plain.optimizers[0].options == {}


def test_changes_replace_fields_and_none_leaves_them():
    suite = make_suite("mine", ["branin"], ["rs"], n_seeds=3)
    assert changed(suite, optimizers=["re"], n_seeds=None, n_trials=5) == make_suite(
        "mine", ["branin"], ["re"], n_seeds=3, n_trials=5
    )


def test_an_optimizer_may_run_with_the_first_of_the_seeds():
    suite = make_suite("mine", ["branin"], ["rs", {"name": "re", "n_seeds": 2}], n_seeds=4, first_seed=7, n_trials=1)
    ran = [(job.optimizer.name, job.seed) for job in make_plan(suite).jobs]
    assert ran == [("rs", 7), ("re", 7), ("rs", 8), ("re", 8), ("rs", 9), ("rs", 10)]
    full = make_plan(changed(suite, optimizers=["rs", {"name": "re"}])).jobs
    assert {job.key for job in make_plan(suite).jobs} < {job.key for job in full}  # n_seeds is no part of a run's key


def test_patterns_stand_for_listed_names_once():
    members = [Member("mini-*", {"metric": "cost"}), Member("branin"), Member("b*"), Member("none-*")]
    names = [member.label for member in expand(members, ["branin", "bohachevsky", "mini-a", "mini-b"])]
    assert names == ['mini-a(metric="cost")', 'mini-b(metric="cost")', "branin", "bohachevsky"]


def test_numbers_stand_for_every_name_between_them():
    noisy = {"name": "profet-svm/9..10", "options": {"noise": True}}
    suite = make_suite("mine", ["counting-ones-4-4", "profet-svm/0..2", noisy], ["rs"])
    names = [member.label for member in suite.benchmarks]
    numbers = ["0", "1", "2", "9(noise=true)", "10(noise=true)"]
    assert names == ["counting-ones-4-4", *(f"profet-svm/{number}" for number in numbers)]
    assert len(open_suite("profet-svm").benchmarks) == len(open_suite("profet-svm-noise").benchmarks) == 100


def test_several_spans_of_numbers_stand_for_all_of_their_pairs():
    suite = make_suite("mine", ["bbob/f9..10-i1..2-d5"], ["rs"])
    assert [member.name for member in suite.benchmarks] == [f"bbob/f{f}-i{i}-d5" for f in (9, 10) for i in (1, 2)]
    with pytest.raises(InvalidOption, match="count upwards"):
        make_suite("mine", ["bbob/f1..2-i5..1-d5"], ["rs"])


def test_the_suite_of_coco_has_every_function_with_fifteen_runs():
    suite = open_suite("bbob")
    names = [coco_name(member.name) for member in suite.benchmarks]
    assert {(name.function, name.instance, name.dimension) for name in names} == {
        (function, instance, 5) for function in range(1, 25) for instance in range(1, 6)
    }
    assert len(names) * suite.n_seeds == 24 * 15


def test_a_suite_without_its_extra_names_it_once(monkeypatch):
    close_benchmarks()
    monkeypatch.setitem(sys.modules, "cocoex", None)
    with pytest.raises(MissingExtra, match=r'^coco-experiment is needed .*pip install "hpo-foundry\[coco\]"$'):
        make_plan(open_suite("bbob"))
    plan = make_plan(make_suite("mine", ["branin", "bbob/f1..3-i1-d5"], ["rs"], n_seeds=1))
    assert len(plan.jobs) == 1
    (line,) = plan.lost
    assert line.startswith(
        "3 benchmarks cannot be opened, 'bbob/f1-i1-d5' to 'bbob/f3-i1-d5': coco-experiment is needed"
    )


def test_a_plan_goes_seed_by_seed_through_all_pairs():
    plan = make_plan(make_suite("mine", ["branin", "hartmann3"], ["rs", "re"], n_seeds=2, n_trials=7))
    assert [(job.seed, job.benchmark.label, job.optimizer.label) for job in plan.jobs] == [
        (seed, benchmark, optimizer)
        for seed in (0, 1)
        for benchmark in ("branin", "hartmann3")
        for optimizer in ("rs", "re")
    ]
    assert len({job.key for job in plan.jobs}) == 8
    assert [(task.benchmark, task.family) for task in plan.tasks] == [
        ("branin", "functions"),
        ("hartmann3", "functions"),
    ]
    assert plan.tasks[0].optimum == Benchmark("branin").optimum


def test_multi_fidelity_methods_run_where_there_are_budgets():
    plan = make_plan(make_suite("mine", ["branin", "counting-ones-4-4"], ["rs", "hyperband"], n_seeds=1))
    pairs = {(job.benchmark.label, job.optimizer.label) for job in plan.jobs}
    assert pairs == {("branin", "rs"), ("counting-ones-4-4", "rs"), ("counting-ones-4-4", "hyperband")}
    assert len(plan.unfit) == 1
    assert plan.unfit[0].startswith("hyperband is not run on branin: ")


def test_where_there_are_budgets_runs_get_equal_time():
    plan = make_plan(make_suite("mine", ["branin", "counting-ones-4-4"], ["rs"], n_seeds=1, n_trials=50))
    single, several = plan.jobs
    assert (single.trial_limit, single.cost_limit) == (50, None)
    full = Benchmark("counting-ones-4-4").budgets[-1]  # its cost is one second per draw
    assert (several.trial_limit, several.cost_limit) == (None, 50.0 * full)
    assert replace(several, max_cost=10.0).cost_limit == 10.0
    assert replace(several, n_trials=None, max_cost=9e9).cost_limit == 9e9


def test_what_cannot_be_opened_is_left_out_and_said():
    plan = make_plan(make_suite("mine", ["branin", "branim"], ["rs"], n_seeds=1))
    assert [job.benchmark.label for job in plan.jobs] == ["branin"]
    assert len(plan.lost) == 1
    assert "did you mean branin" in plan.lost[0]
    with pytest.raises(InvalidOption, match="did you mean branin"):
        make_plan(make_suite("mine", ["branim"], ["rs"]))


@pytest.mark.parametrize(
    ("optimizer", "error", "words"),
    [
        ("rss", UnknownName, "did you mean rs"),
        ("nowhere:Search", UnknownName, "nowhere"),
        ("misbehaving:Searching", UnknownName, "Searching"),
        ({"name": "re", "options": {"populaton": 5}}, InvalidOption, "population"),
    ],
)
def test_a_mistaken_optimizer_stops_the_plan(optimizer, error, words):
    with pytest.raises(error, match=words):
        make_plan(make_suite("mine", ["branin"], ["rs", optimizer]))


JOB = Job(
    benchmark=Member("branin"),
    checksum="c" * 64,
    optimizer=Member("re", {"population": 20}),
    version="1.0",
    seed=4,
    n_trials=100,
    max_cost=None,
    full_cost=None,
    workers=1,
    suite_version=1,
)


def test_a_key_is_the_digest_of_everything_in_one_order():
    text = (
        '{"benchmark":{"checksum":"' + "c" * 64 + '","label":"branin","name":"branin","options":{}},'
        '"limits":{"full_cost":null,"max_cost":null,"n_trials":100,"resume":null,"workers":1},'
        '"optimizer":{"label":"re(population=20)","name":"re","options":{"population":20},"version":"1.0"},'
        f'"run_seed":{run_seed(4, "branin")},"seed":4,"suite":1}}'
    )
    assert JOB.key == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"benchmark": Member("branin", {"a": 1})},
        {"checksum": "d" * 64},
        {"optimizer": Member("re", {"population": 21})},
        {"version": "1.1"},
        {"seed": 5},
        {"n_trials": 101},
        {"max_cost": 3.0},
        {"full_cost": 2.0},
        {"workers": 2},
        {"suite_version": 2},
        {"resume": False},
    ],
)
def test_every_part_of_a_job_is_in_its_key(change):
    assert replace(JOB, **change).key != JOB.key


def test_checksums_of_benchmarks_differ():
    assert open_benchmark("protein", {}).checksum == open_benchmark("protein", {"metric": "loss"}).checksum
    checksums = [
        open_benchmark(name, options).checksum
        for name, options in (("protein", {}), ("protein", {"metric": "cost"}), ("naval", {}), ("branin", {}))
    ]
    assert len(set(checksums)) == 4


def test_a_checksum_follows_every_number_of_a_table():
    def checksum(losses):
        columns = {"loss": np.array(losses), "cost": np.ones((2, 2))}
        space = Space([Categorical("a", ["x", "y"])])
        table = Table("tiny", space, columns, {"loss": "", "cost": "seconds"}, (1,), "epochs", {})
        return checksum_of(TableProblem(table), "tabular.problem")

    original = checksum([[1.0, 2.0], [3.0, 4.0]])
    assert checksum([[1.0, 2.0], [3.0, 4.0]]) == original
    assert checksum([[1.0, 2.0], [3.0, np.nextafter(4.0, 5.0)]]) != original


def test_a_file_may_limit_runs_by_cost_alone(tmp_path):
    path = tmp_path / "dear.toml"
    path.write_text('benchmarks = ["protein"]\noptimizers = ["rs"]\nmax_cost = 3600.0\n')
    assert (open_suite(path).n_trials, open_suite(path).max_cost) == (None, 3600.0)
    path.write_text(path.read_text() + "n_trials = 5\n")
    assert open_suite(path).n_trials == 5


PROTOCOL = """
benchmarks = [{ name = "branin", n_trials = 50 }, { name = "forrester", max_cost = 9.0 }, "hartmann3"]
optimizers = ["rs"]
n_trials = 20
max_cost = 40.0
resume = false
incumbent = "lowest-loss"
targets = { kind = "sobol", n = 600, seed = 3 }
repetitions = 10
cutoffs = { branin = [10.0, 20.0] }
split = "test"
"""


def test_a_file_says_how_its_runs_are_scored(tmp_path):
    (tmp_path / "protocol.toml").write_text(PROTOCOL)
    scoring = Scoring("lowest-loss", Targets("sobol", 600, 3), 10, {"branin": (10.0, 20.0)}, "test")
    suite = open_suite(tmp_path / "protocol.toml")
    assert suite.scoring == scoring
    assert open_suite("quick").scoring == Scoring()
    keys = [job.key for job in make_plan(suite).jobs]
    assert keys == [job.key for job in make_plan(replace(suite, scoring=Scoring())).jobs]


def test_benchmarks_have_limits_of_their_own(tmp_path):
    (tmp_path / "protocol.toml").write_text(PROTOCOL)
    suite = changed(open_suite(tmp_path / "protocol.toml"), n_seeds=1)
    limits = {job.benchmark.label: (job.trial_limit, job.cost_limit) for job in make_plan(suite).jobs}
    assert limits == {"branin": (50, None), "forrester": (None, 9.0), "hartmann3": (20, 40.0)}
    fewer = {job.benchmark.label: job.trial_limit for job in make_plan(changed(suite, n_trials=5)).jobs}
    assert fewer == {"branin": 5, "forrester": 5, "hartmann3": 5}
    run_experiment(suite, tmp_path / "s.sqlite", SerialEngine())
    with reading(tmp_path / "s.sqlite") as store:
        runs = store.frames().runs
    assert runs.set_index("benchmark").n_trials.to_dict() == {"branin": 50, "forrester": 9, "hartmann3": 20}
    assert set(runs.optimizer) == {"rs"}  # other limits on another benchmark are no other optimizer


def test_seeds_may_begin_later():
    suite = make_suite("late", ["branin"], ["rs"], n_seeds=2, first_seed=20)
    assert [job.seed for job in make_plan(suite).jobs] == [20, 21]


@pytest.mark.parametrize(("said", "resumes"), [(None, False), (True, True), (False, False)])
def test_promotions_are_charged_as_the_problem_says_unless_the_suite_says_otherwise(tmp_path, said, resumes):
    suite = make_suite("clock", ["svm-subsets"], ["hyperband"], n_seeds=1, n_trials=20, resume=said)
    job = make_plan(suite).jobs[0]
    assert job.resume is resumes
    run_experiment(suite, tmp_path / "s.sqlite", SerialEngine())
    with reading(tmp_path / "s.sqlite") as store:
        ends = store.frames().trials.end
    by_hand = {
        resume: run("svm-subsets", "hyperband", None, job.cost_limit, seed=job.run_seed, resume=resume).trials
        for resume in (True, False)
    }
    assert ends.tolist() == [trial.end for trial in by_hand[resumes]]
    assert ends.tolist() != [trial.end for trial in by_hand[not resumes]]


def test_trainings_continue_where_the_problem_says_so():
    jobs = make_plan(make_suite("clock", ["mini-wine", "branin"], ["rs"], n_seeds=1)).jobs
    assert [job.resume for job in jobs] == [True, None]
