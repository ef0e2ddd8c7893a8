"""The families of recorded tables and the names of their instances; no file is opened for these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tabular.instances import unknown_instance


@dataclass(frozen=True)
class Family:
    """A family of tables.

    name         begins the name of every table, NAME/INSTANCE
    instances    what follows, with words about it where the name does not say enough
    summary      one line about a table, with {} for the instance or the words about it
    budgets      the first and the last one
    extra        extra of the distribution that has the numbers, "" for a file of this package
    shared       whether all tables, or nearly all, list the same configurations
    """

    name: str
    instances: Mapping[str, str]
    summary: str
    budgets: tuple[int, int] = (1, 1)
    extra: str = ""
    shared: bool = False

    def line(self, instance: str) -> str:
        """One line about a table."""
        return self.summary.format(self.instances[instance] or instance)

    def check(self, instance: str) -> None:
        """Raise `UnknownName` for an instance that the family does not have."""
        if instance not in self.instances:
            raise unknown_instance(self.name, instance, self.instances)


def _named(*instances: str | int) -> dict[str, str]:
    return {str(instance): "" for instance in instances}


# fmt: off
FOREST_TASKS = (
    3, 6, 11, 12, 14, 15, 16, 18, 20, 21, 22, 23, 24, 28, 29, 31, 32, 36, 37, 41, 43, 45, 49, 53, 58, 219, 2074, 2079,
    3021, 3022, 3485, 3492, 3493, 3494, 3510, 3512, 3543, 3549, 3560, 3561, 3567, 3573, 3889, 3891, 3896, 3899, 3902,
    3903, 3904, 3913, 3917, 3918, 3954, 7592, 9914, 9946, 9950, 9952, 9954, 9955, 9956, 9957, 9960, 9964, 9967, 9968,
    9970, 9971, 9976, 9977, 9978, 9979, 9980, 9981, 9983, 9985, 9986, 10093, 10101, 14964, 14965, 14966, 14967, 14968,
    14969, 34536, 34537, 34538, 125920, 125921, 125922, 125923, 146606, 146607,
)
# fmt: on
BOOSTING_TASKS = tuple(sorted((*FOREST_TASKS, 3481, 3946, 3948, 14970, 34539, 146195)))
TEXT_TASKS = (
    *("patch128_LSTM128_avg_bs64", "patch128_LSTM128_bs64", "patch128_LSTM128_embed128_bs64"),
    *("patch32_GRU128_bs128", "patch32_GRU64_avg_bs128"),
    *("patch32_IRNN64_relu_avg_bs128", "patch32_IRNN64_relu_last_bs128"),
    *("patch32_LSTM128_E128_bs128", "patch32_LSTM128_bs128"),
    *("patch32_VRNN128_tanh_bs128", "patch32_VRNN64_relu_avg_bs128", "patch32_VRNN64_tanh_avg_bs128"),
)
XGBOOST_DATASETS = (
    *("heart", "w6a", "skin_nonskin", "svmguide1", "spambase"),
    *("australian", "madelon", "german.numer", "ijcnn1", "a6a"),
)
DEEPAR_DATASETS = (
    *("m4-Daily", "exchange-rate", "m4-Yearly", "solar", "m4-Monthly", "electricity"),
    *("traffic", "m4-Quarterly", "m4-Weekly", "m4-Hourly", "wiki-rolling"),
)
GRAPH_DATASETS = ("arxiv", "citeseer", "computers", "cora", "cs", "photo", "physics", "proteins", "pubmed")

TASKSET = Family(
    "taskset",
    {str(i): task for i, task in enumerate(TEXT_TASKS)},
    "Adam on an RNN for IMDB reviews, {}: 1,000 configurations, 8 hyperparameters, 51 evaluations",
    (1, 51),
    shared=True,
)
XGBOOST = Family("xgboost-tables", _named(*XGBOOST_DATASETS), "XGBoost on {}: 5,000 configurations, 8 hyperparameters")
DEEPAR = Family("deepar", _named(*DEEPAR_DATASETS), "DeepAR on {}: 212 to 249 configurations, 6 hyperparameters")
FOREST = Family(
    "openml-rf", _named(*FOREST_TASKS), "random forest on OpenML task {}: 500 configurations, 6 hyperparameters"
)
BOOSTING = Family(
    "openml-adaboost", _named(*BOOSTING_TASKS), "AdaBoost on OpenML task {}: 400 configurations, 5 hyperparameters"
)
GRAPH = Family(
    "nas-graph",
    {name: f"{name}: {'2,021' if name == 'proteins' else '26,206'} architectures" for name in GRAPH_DATASETS},
    "NAS-Bench-Graph on {}, 5 categoricals",
    extra="nas-graph",
    shared=True,
)
FAMILIES = {family.name: family for family in (TASKSET, XGBOOST, DEEPAR, FOREST, BOOSTING, GRAPH)}


def recorded_tables() -> list[str]:
    """Names of all tables, NAME/INSTANCE."""
    return [f"{family.name}/{instance}" for family in FAMILIES.values() for instance in family.instances]
