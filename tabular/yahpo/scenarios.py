"""The scenarios of YAHPO Gym that are benchmarks here: what is the loss, the cost and the budget of each.

Instances are OpenML ids, of tasks (`lcbench`) or datasets (`rbv2-*`, `iaml-*`). They are listed here, so that names are
known without opening a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SUBSETS = (1 / 27, 1 / 9, 1 / 3, 1.0)


@dataclass(frozen=True)
class Scenario:
    """One network and the benchmarks that it gives, NAME/INSTANCE.

    Attributes
    ----------
    name, source_name
        Here and in YAHPO Gym.
    summary
        What was trained, for lists.
    instances
        In ascending order.
    instance_name, fidelity, fixed
        The inputs that are no hyperparameters: which instance, the budget, and others with the value that they have.
    loss, loss_scale, loss_shift
        The loss is scale * target + shift, clipped to [0, 1].
    cost
        The target that is the time of a training, in seconds.
    budgets, budget_unit, budget_range
        As in `hpo_core.Problem`; a range if any number in it is a budget.
    resumable
        Whether a larger budget continues a training.
    """

    name: str
    source_name: str
    summary: str
    instances: tuple[str, ...]
    instance_name: str
    fidelity: str
    loss: str
    loss_scale: float
    loss_shift: float
    cost: str
    budgets: Sequence[float] = SUBSETS
    budget_unit: str = "share of the training set"
    budget_range: tuple[float, float] | None = (0.03, 1.0)
    resumable: bool = False
    fixed: Mapping[str, float] = field(default_factory=dict)


def _ids(text: str) -> tuple[str, ...]:
    return tuple(text.split())


LCBENCH = Scenario(
    name="lcbench",
    source_name="lcbench",
    summary="surrogate of networks on OpenML task {}: 7 hyperparameters, 52 epochs, optimum by search",
    instances=_ids(
        "3945 7593 34539 126025 126026 126029 146212 167104 167149 167152 167161 167168 167181 167184 167185 167190 "
        "167200 167201 168329 168330 168331 168335 168868 168908 168910 189354 189862 189865 189866 189873 189905 "
        "189906 189908 189909"
    ),
    instance_name="OpenML_task_id",
    fidelity="epoch",
    loss="val_accuracy",
    loss_scale=-0.01,
    loss_shift=1.0,
    cost="time",
    budgets=range(1, 53),
    budget_unit="epochs",
    budget_range=None,
    resumable=True,
)
RBV2_XGBOOST = Scenario(
    name="rbv2-xgboost",
    source_name="rbv2_xgboost",
    summary="surrogate of XGBoost on OpenML dataset {}: 14 hyperparameters, 8 conditional, optimum by search",
    instances=_ids(
        "3 6 11 12 14 15 16 18 22 23 24 28 29 31 32 37 38 42 44 46 50 54 60 151 181 182 188 300 307 312 334 375 377 "
        "458 469 470 554 1040 1049 1050 1053 1056 1063 1067 1068 1111 1220 1457 1461 1462 1464 1468 1475 1476 1478 "
        "1479 1480 1485 1486 1487 1489 1493 1494 1497 1501 1510 1515 1590 4134 4135 4154 4534 4538 4541 6332 23381 "
        "23512 23517 40496 40498 40499 40536 40668 40670 40685 40701 40900 40923 40927 40966 40975 40978 40979 40981 "
        "40982 40983 40984 40994 40996 41027 41138 41142 41143 41146 41150 41156 41157 41159 41161 41162 41163 41164 "
        "41165 41166 41168 41169 41212 41216 41278"
    ),
    instance_name="task_id",
    fidelity="trainsize",
    loss="acc",
    loss_scale=-1.0,
    loss_shift=1.0,
    cost="timetrain",
    fixed={"repl": 10},
)
RBV2_RPART = Scenario(
    name="rbv2-rpart",
    source_name="rbv2_rpart",
    summary="surrogate of decision trees on OpenML dataset {}: 5 hyperparameters, optimum by search",
    instances=tuple(name for name in RBV2_XGBOOST.instances if name not in ("41216", "41278")),
    instance_name="task_id",
    fidelity="trainsize",
    loss="acc",
    loss_scale=-1.0,
    loss_shift=1.0,
    cost="timetrain",
    fixed={"repl": 10},
)
IAML_GLMNET = Scenario(
    name="iaml-glmnet",
    source_name="iaml_glmnet",
    summary="surrogate of an elastic net on OpenML dataset {}: 2 hyperparameters, optimum by search",
    instances=("1067", "1489", "40981", "41146"),
    instance_name="task_id",
    fidelity="trainsize",
    loss="mmce",
    loss_scale=1.0,
    loss_shift=0.0,
    cost="timetrain",
)
SCENARIOS = {scenario.name: scenario for scenario in (LCBENCH, RBV2_XGBOOST, RBV2_RPART, IAML_GLMNET)}
