"""Recorded tables against rows of their sources, which were copied from the files as text, not read by this project."""

import math
import struct

import numpy as np
import pytest

from hpo_core import Benchmark

# transfer/XGBoost.csv.zip: the hyperparameters, metric_error and task of a row
XGBOOST = """\
-1.5306993578927095,0.6347654029973576,0.7290472489779667,-9.139254584785338,0.4171424195873179,0.7759714621695483,9,\
5.419831559859652,0.5,heart
-6.980294984839922,0.5091990843176729,0.602631444027762,-8.118817238510925,1.521915869190055,0.24185850470668516,4,\
-10.30624950987382,0.044598000000000027,w6a
-5.194582853844679,0.9361013273264235,0.8316635090985518,-8.305876719292206,-5.539441355228379,0.6739291442954471,9,\
-12.115035695029418,0.10985599999999995,madelon
1.4854635942811552,0.7318008654852323,0.4844999365437034,5.487656659788907,-4.206822277024533,0.22412206128621284,11,\
3.458957683512292,0.10509900000000005,a6a
-0.6608278675308084,0.8096108629726366,0.4976502265682203,-13.406562674664878,-7.955993164459521,0.29146227254649165,2,\
2.26317332307919,0.241742,german.numer
"""
# transfer/DeepAR.csv.zip: hyperparameters, frequency, prediction length, CRPS, train_loss, throughput, RMSE, time, task
DEEPAR = """\
0.6931471805599453,3.784189633918261,-3.953408198343921,-7.930522515411987,6.85751406254539,-0.8472978603872037,1D,14,\
0.022526685148477554,5.302445411682129,1387.439208984375,625.0218505859375,5367,m4-Daily
1.0986122886681098,4.248495242049359,-1.0186170326764352,-6.536779893755481,4.330733340286331,0.0,1H,24,\
0.3739794194698334,1.3880165815353394,463.3276672363281,30.895111083984375,2193,solar
1.0986122886681098,4.418840607796598,-0.8320617836065151,-8.680233242430017,5.846438775057725,-2.3025850929940455,1D,30,\
0.21889449656009674,7.218307018280029,771.2167358398438,6084.6904296875,5625,wiki-rolling
1.0986122886681098,4.454347296253507,-4.1406107142998625,-2.4476354293197455,5.236441962829949,0.9808292530117262,1H,48,\
1.4438763856887817,7.863889217376709,77.17591857910156,58246.27734375,2554,m4-Hourly
1.0986122886681098,4.248495242049359,-2.6960297477764796,-5.415887955897259,4.543294782270004,0.15415067982725836,1H,24,\
0.13355478644371033,-4.209998607635498,462.0594482421875,0.02199571579694748,1371,traffic
"""
# openml_kdd2018/random_forest.arff.gz: bootstrap, criterion, max_features, min_samples_leaf, min_samples_split,
# imputation, predictive_accuracy, task, and the error
FOREST = """\
True,gini,0.19289557814659136,20,19,median,0.968085,3,0.031915
False,entropy,0.22305122636764355,19,9,median,0.5512559402579769,23,0.4487440597420231
True,gini,0.5437758031768941,1,15,median,0.910731,2074,0.089269
False,gini,0.8993487370922025,10,11,mean,0.59137,9985,0.40863
True,gini,0.10528061850499144,11,3,most_frequent,0.859632,146607,0.140368
"""
# openml_kdd2018/adaboost.arff.gz: algorithm, learning_rate, max_depth, n_estimators, imputation, accuracy, task, error
ADABOOST = """\
SAMME,0.13763986428910163,9,161,median,0.996558,3,0.003442
SAMME.R,0.06331480345319276,9,275,most_frequent,0.936514,3481,0.063486
SAMME.R,0.05029556406044827,9,94,median,0.9333857142857143,3573,0.0666142857142857
SAMME.R,0.05700391748454573,1,164,mean,0.94211,34539,0.05789
SAMME,0.36409102258269577,10,79,median,0.836952,146195,0.163048
"""
# taskset_text_rnn.npz, read as bytes: configs[i], and (task, i, evaluation) to valid, test and train at it, from 0
ADAM = {
    0: "0.0008696040132105586 0.9274299427840572 0.9958640026061601 0.0012119407238482059 6.499698237449666e-05 "
    "0.006502000785097662 2.054762512591133e-06 2.11193718864315e-06",
    404: "0.01045744937169386 0.9974716030283933 0.7716324297780334 4.115844629549055e-07 2.9674499079702586e-08 "
    "1.8239897723277012 2.609072569506007e-06 0.0009577634209991182",
    999: "0.17015799545315774 0.9871148587803342 0.9999948159546729 0.0206946828504483 6.581537573088724e-08 "
    "9.773072648738292e-06 1.9148856399932666e-06 2.1719136897054463e-05",
    123: "0.01854482205182914 0.9986050541801389 0.9999770327646152 0.0014692374782547754 0.0298690031084307 "
    "6.426257757252231e-05 8.755734725056511e-05 8.820857055018123e-06",
    7: "4.861548294339897e-08 0.868272888438882 0.999572972947646 0.2541249532798142 6.337319573825651 "
    "0.0007022032476058563 3.1868483018484825e-06 0.0006079202357502478",
}
TASKSET = {
    (0, 0, 0): (0.6941490173339844, 0.69557785987854, 0.6940940618515015),
    (0, 0, 50): (0.5299394726753235, 0.5141986608505249, 0.4661480486392975),
    (5, 404, 1): (4326396.5, 4266438.5, 4435925.0),
    (5, 404, 2): (math.nan, 116802768076800.0, math.nan),
    (11, 999, 50): (0.638771116733551, 0.6359822750091553, 0.6328708529472351),
    (3, 123, 25): (0.6932610273361206, 0.6932177543640137, 0.6931387782096863),
    (6, 7, 10): (2.010545492172241, 1.9634236097335815, 1.9654784202575684),
}
# nas_bench_graph/light/*.bench, from the opcodes of the pickles: key to valid_perf, perf, latency and the bytes of para
GRAPH = {
    ("cora", "31234"): (0.7920000000000001, 0.7959999999999999, 0.004045804341634114, b"\xa5\xbe,\xed\xd4\x1c\xf2?"),
    ("cora", "88887"): (0.584, 0.5743333333333333, 0.0004425843556722005, b"\x83qp\xe9\x98\xf3\xdb?"),
    ("arxiv", "88871"): (0.6783333333333333, 0.6675925354401991, 0.013742764790852865, b"\x81[w\xf3T\x87\xac?"),
}
LINKS = ["0000", "0001", "0011", "0012", "0013", "0111", "0112", "0122", "0123"]
OPERATIONS = ["gat", "gcn", "gin", "cheb", "sage", "arma", "graph", "fc", "skip"]


def rows(text):
    return [line.split(",") for line in text.splitlines()]


@pytest.mark.parametrize("row", rows(XGBOOST), ids=lambda row: row[-1])
def test_xgboost(row):
    b = Benchmark(f"xgboost-tables/{row[-1]}")
    config = {h.name: (int if h.kind == "int" else float)(text) for h, text in zip(b.space, row, strict=False)}
    assert b.objective(config) == (float(row[8]), 1.0, 1, {})
    assert b.space.size == 5000


@pytest.mark.parametrize("row", rows(DEEPAR), ids=lambda row: row[-1])
def test_deepar(row):
    b = Benchmark(f"deepar/{row[-1]}")
    length = int(row[7])
    config = {
        "num_layers": round(math.exp(float(row[0]))),
        "num_cells": round(math.exp(float(row[1]))),
        "dropout_rate_log": float(row[2]),
        "learning_rate_log": float(row[3]),
        "num_batches_per_epoch": round(math.exp(float(row[4]))),
        "context_length": round(length * math.exp(float(row[5]))),
    }
    crps, train_loss, throughput, rmse, seconds = map(float, row[8:13])
    assert b.objective(config) == (crps, seconds, 1, {"rmse": rmse, "train_loss": train_loss, "throughput": throughput})
    assert (b.provenance["frequency"], b.provenance["prediction_length"]) == (row[6], length)


@pytest.mark.parametrize(
    ("family", "row"),
    [("openml-rf", row) for row in rows(FOREST)] + [("openml-adaboost", row) for row in rows(ADABOOST)],
    ids=lambda part: part if isinstance(part, str) else part[-2],
)
def test_openml(family, row):
    *values, accuracy, task, error = row
    b = Benchmark(f"{family}/{task}")
    read = {"float": float, "int": int, "categorical": lambda text: {"True": True, "False": False}.get(text, text)}
    config = {h.name: read[h.kind](text) for h, text in zip(b.space, values, strict=True)}
    assert b.objective(config) == (float(error), 1.0, 1, {"accuracy": float(accuracy)})
    assert b.space.size == (500 if family == "openml-rf" else 400)


@pytest.mark.parametrize("cell", TASKSET, ids=str)
def test_taskset(cell):
    task, index, evaluation = cell
    b = Benchmark(f"taskset/{task}")
    config = dict(zip(b.space.names, map(float, ADAM[index].split()), strict=True))
    for name in ("one_minus_beta1", "one_minus_beta2"):
        config[name] = 1.0 - config[name]
    valid, test, train = (math.inf if math.isnan(loss) else loss for loss in TASKSET[cell])
    expected = (valid, evaluation + 1.0, evaluation + 1, {"test_loss": test, "train_loss": train})
    assert b.objective(config, evaluation + 1) == expected
    assert b.curve(config)[evaluation] == valid
    assert b.budgets == range(1, 52)


@pytest.mark.parametrize("cell", GRAPH, ids=str)
def test_nas_graph(cell):
    dataset, key = cell
    operations = {f"op{i}": OPERATIONS[int(digit)] for i, digit in enumerate(key[1:], 1)}
    result = Benchmark(f"nas-graph/{dataset}").objective({"links": LINKS[int(key[0])], **operations})
    valid, test, latency, parameters = GRAPH[cell]
    assert (result.loss, result.cost) == (1.0 - valid, 1.0)
    assert result.info == {
        "test_loss": 1.0 - test,
        "val_score": valid,
        "latency": latency,
        "n_params_millions": struct.unpack("<d", parameters)[0],
    }


def test_nas_graph_on_proteins_has_five_operations():
    b = Benchmark("nas-graph/proteins")
    assert b.space.size == 2021
    assert list(b.space["op1"].values) == ["gcn", "sage", "arma", "fc", "skip"]
    result = b.objective({"links": "0123", "op1": "skip", "op2": "skip", "op3": "skip", "op4": "fc"})  # key 88887
    assert result.info["val_score"] == struct.unpack("<d", b"\xd7\xa3p=\n\xd7\xe7?")[0]
    assert "ROC AUC" in b.problem.table.units["loss"]


def test_diverged_trainings_have_an_infinite_loss_from_then_on():
    table = Benchmark("taskset/5").problem.table
    losses = table.values("loss")[:, 0]
    assert np.isposinf(losses).sum() == 234  # share .234 of NaN at the last evaluation in the source
    curves = table.columns["loss"][:, 0]
    assert not np.isnan(curves).any()
    assert (np.diff(np.isinf(curves).astype(int), axis=1) >= 0).all()
    assert np.isfinite(Benchmark("taskset/5").optimum)
    assert np.isfinite(Benchmark("taskset/5").objective(Benchmark("taskset/5").problem.best()).loss)
