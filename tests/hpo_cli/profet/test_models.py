"""`hpo profet` for machines; training and pictures are in tests/profet."""

import profet


def test_info(hpo):
    facts = {row["name"]: row["value"] for row in hpo("profet", "info", "svm", "--json").rows}
    assert facts["checksum"] == profet.open_model("svm").checksum
    assert facts["hyperparameters"] == "C, gamma"


def test_sample(hpo):
    answer = hpo("profet", "sample", "svm", "--n", "2", "--json")
    assert [row["task"] for row in answer.rows] == ["profet-svm/0", "profet-svm/1"]
    assert all(row["lowest"] <= row["median"] <= row["highest"] for row in answer.rows)
    assert set(answer.rows[0]["best"]) == {"C", "gamma"}
    assert "profet-svm/1" in hpo("profet", "sample", "svm", "--n", "2", "--csv").out
