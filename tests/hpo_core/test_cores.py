import os

import pytest

from hpo_core.cores import usable_cores


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux confines a process to cores")
def test_it_is_the_cores_that_the_process_is_confined_to(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 5, 6})
    assert usable_cores() == 3


def test_a_system_without_confinement_counts_the_machines_cores(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert usable_cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1
