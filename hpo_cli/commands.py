"""The words of the command line, and the function behind each; nothing of it is imported before it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from hpo_cli.parts.arguments import Parser


@dataclass(frozen=True)
class Command:
    """One line about a command, and `module:function` that adds its arguments to a parser."""

    summary: str
    target: str

    def load(self) -> Callable[[Parser], None]:
        module, _, function = self.target.partition(":")
        return getattr(import_module(f"hpo_cli.{module}"), function)


@dataclass(frozen=True)
class CommandGroup:
    """Commands about one subject, with examples."""

    summary: str
    examples: str
    commands: Mapping[str, Command]


TABLE_EXAMPLES = """\
examples:
  hpo table list
  hpo table info protein
  hpo table verify                                     every table that lies in the cache
  hpo table import results.csv --loss error --name own a table of your own results, then Benchmark("own")
  hpo table remove own
  hpo table export protein --out protein.hdf5          in the schema of the original files
  hpo table stats protein --out statistics             tables and pictures
  hpo table train houses.csv --target price            a benchmark of your own data, see `hpo table train --help`
"""
PROFET_EXAMPLES = """\
examples:
  hpo profet sample svm --n 3 --plot out.png      three tasks, their best losses, and a picture of them
  hpo profet train svm.h5 --name mine             a model of meta-data that `hpo collect` wrote; then profet-mine/0
  hpo profet train forrester --mode paper --out forrester.h5
  hpo profet info svm                             what a model was trained on
  hpo profet plot svm latent --out latent.png     latent, samples, distribution or calibration
  hpo profet remove mine
"""
SURROGATE_EXAMPLES = """\
examples:
  hpo surrogate train results.csv --loss error --name own    see `hpo surrogate train --help`; then Benchmark("own")
  hpo surrogate list                                         with the error of each
  hpo surrogate info own                                     space, error on held-out configurations, provenance
  hpo surrogate import own.h5 --name theirs                  a file that somebody else trained
  hpo surrogate remove own
"""
STORE_EXAMPLES = """\
examples:
  hpo store info leaderboard/quick.sqlite
  hpo store verify leaderboard/quick.sqlite
  hpo store merge all.sqlite monday.sqlite tuesday.sqlite
  hpo store missing quick leaderboard/quick.sqlite
  hpo store copy leaderboard/quick.sqlite backup.sqlite
  hpo store drop leaderboard/quick.sqlite --optimizers tpe --seeds 10:20
  hpo store export leaderboard/quick.sqlite --out trials.csv
  hpo store export leaderboard/bbob.sqlite --format coco --out exported    for cocopp; --format ioh for IOHanalyzer
"""
ARCHIVE_EXAMPLES = """\
examples:
  hpo leaderboard fcnet --optimizers my_module:MySearch --archive    yours among the archived ones
  hpo archive info                                     what the shipped archive holds
  hpo archive verify                                   run a sample of it again, compare the bits
  hpo archive build fcnet --dry-run                    every optimizer on a suite: how many runs, how long
  hpo archive submit leaderboard/fcnet.sqlite --out mine.h5 --title ... --licence CC-BY-4.0 --contact ...
  hpo archive add mine.h5 --to reference.h5
  hpo archive diff before.h5 after.h5                  which optimizers became better or worse
"""
STOP_EXAMPLES = """\
examples:
  hpo stop replay runs.csv.gz                     the criteria of Makarova et al. (2022), and ours
  hpo stop replay leaderboard/quick.sqlite --criteria conv:30 "regret-bound:0.001"
"""

COMMANDS: Mapping[str, Command | CommandGroup] = {
    "list": Command("names of the benchmarks", "catalogues:add_list"),
    "optimizers": Command("names of the optimizers", "catalogues:add_optimizers"),
    "criteria": Command("names of the stopping criteria", "catalogues:add_criteria"),
    "run": Command("run an optimizer on a benchmark", "run:add_run"),
    "leaderboard": Command("compare optimizers on benchmarks", "leaderboard:add_leaderboard"),
    "report": Command("write a page with tables and figures of a store", "report:add_report"),
    "compare": Command("compare two optimizers of a store", "compare:add_compare"),
    "store": CommandGroup(
        "inspect, check, merge and export stores of runs",
        STORE_EXAMPLES,
        {
            "info": Command("what a store holds", "store:add_info"),
            "verify": Command("check every row against its digests", "store:add_verify"),
            "merge": Command("add the runs of other stores to one", "store:add_merge"),
            "missing": Command("runs of a suite that a store does not hold", "store:add_missing"),
            "copy": Command("copy a store, also one that is being written", "store:add_copy"),
            "drop": Command("remove runs, so that they can be run again", "store:add_remove"),
            "remove": Command("the same as drop", "store:add_remove"),
            "export": Command(
                "write all trials as one table, or the runs for cocopp or IOHanalyzer", "store:add_export"
            ),
        },
    ),
    "archive": CommandGroup(
        "recorded runs of many optimizers, to compare with, to run again and to check",
        ARCHIVE_EXAMPLES,
        {
            "info": Command("what an archive holds", "archives.inspection:add_info"),
            "build": Command("run every optimizer on a suite, into one small file", "archives.building:add_build"),
            "verify": Command("run a sample of the runs again and compare bits", "archives.checking:add_verify"),
            "submit": Command("write the runs of a store to one file for others", "archives.submission:add_submit"),
            "add": Command("verify the runs of a submission and add them", "archives.checking:add_add"),
            "diff": Command("which optimizers became better or worse", "archives.inspection:add_diff"),
        },
    ),
    "table": CommandGroup(
        "tables of recorded evaluations: inspect, check, make, import and export them",
        TABLE_EXAMPLES,
        {
            "list": Command("names of the tables, and which are in the cache", "tables.inspection:add_list"),
            "info": Command("space, columns and provenance of a table", "tables.inspection:add_info"),
            "stats": Command("statistics of a table, as tables and pictures", "tables.inspection:add_stats"),
            "verify": Command("check tables against their checksums", "tables.inspection:add_verify"),
            "import": Command(
                "make a benchmark of a CSV file of results, a table or an FC-Net file", "tables.importing:add_import"
            ),
            "remove": Command("remove a table of your own", "tables.importing:add_remove"),
            "export": Command("write a table in the schema of the FC-Net files", "tables.inspection:add_export"),
            "train": Command("make a table: train FC-Nets on a dataset or your own file", "tables.training:add_train"),
            "subsets": Command("make a table: train SVMs on subsets of a dataset", "tables.training:add_subsets"),
        },
    ),
    "surrogate": CommandGroup(
        "models of recorded evaluations as benchmarks: train and inspect them",
        SURROGATE_EXAMPLES,
        {
            "train": Command("make a benchmark of recorded evaluations", "surrogates.training:add_train"),
            "list": Command("names of the surrogates, and their error", "surrogates.inspection:add_list"),
            "info": Command("space, error and provenance of a surrogate", "surrogates.inspection:add_info"),
            "import": Command(
                "give a name to a surrogate that was trained elsewhere", "surrogates.inspection:add_import"
            ),
            "remove": Command("remove a surrogate of your own", "surrogates.inspection:add_remove"),
        },
    ),
    "stop": CommandGroup(
        "replay stopping criteria on recorded runs",
        STOP_EXAMPLES,
        {"replay": Command("when criteria would have stopped, what that saves and what it costs", "stop:add_replay")},
    ),
    "reproduce": Command("figures and tables of papers, computed again and judged", "reproduce:add_reproduce"),
    "collect": Command(
        "measure meta-data for PROFET: the same configurations on many datasets", "profet.meta_data:add_collect"
    ),
    "profet": CommandGroup(
        "meta-models that generate tasks: train one, sample from it",
        PROFET_EXAMPLES,
        {
            "train": Command("train a model", "profet.models:add_train"),
            "sample": Command("sample tasks from a model", "profet.models:add_sample"),
            "info": Command("what a model was trained on, and how", "profet.models:add_info"),
            "plot": Command("draw a picture of a model", "profet.models:add_plot"),
            "remove": Command("remove a model of your own", "profet.models:add_remove"),
        },
    ),
    "completion": Command("print a script that completes commands and names in a shell", "completion:add_completion"),
}
