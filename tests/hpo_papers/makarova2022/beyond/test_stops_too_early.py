"""The counts that the package carries are those of the record."""

import pytest

from hpo_leaderboard.stopping.measured import measured
from hpo_papers.makarova2022.beyond.stops_too_early import counts
from hpo_papers.makarova2022.record.contents import OPTIMIZERS, record


@pytest.mark.slow
def test_counts_with_recorded_bounds_are_those_that_the_package_carries():
    runs = {name: record().runs["fcnet", name] for name in OPTIMIZERS}
    found = counts(runs, {name: own["bound"] for name, own in runs.items()}, 5)
    (carried,) = (part["counts"] for part in measured()["measured"] if part["settings"] == "reference-code")
    assert found == carried
