"""`ChosenDataset`: which data to train on, small enough to be sent to other machines, which open them there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fcnet_data.datasets.dataset import Dataset, InvalidDataset, TaskKind
from fcnet_data.datasets.loading import is_file, open_dataset
from fcnet_data.datasets.splits import check_classes, subsample


@dataclass(frozen=True)
class ChosenDataset:
    """A dataset of the catalogue, or a file with its target; `n_rows` of it, or all.

    name      of the catalogue, or path of a file
    target    column of a file to predict, the last one if None
    task      that is needed; None: the catalogue's, or what the values of a file's target mean
    """

    name: str
    target: str | None = None
    task: TaskKind | None = None
    n_rows: int | None = None

    @property
    def is_file(self) -> bool:
        return is_file(self.name)

    @property
    def label(self) -> str:
        """Its name in the catalogue, or the file's name without its folder."""
        return Path(self.name).name if self.is_file else self.name

    def open(self) -> Dataset:
        """The data, the same object for as long as a file is unchanged; raises if a class has a single row."""
        dataset = open_dataset(self.name, target=self.target, task=self.task if self.is_file else None)
        if self.task not in (None, dataset.task):
            raise InvalidDataset(f"a dataset for {self.task} is needed here, {self.name!r} is for {dataset.task}")
        return _rows(dataset, self.n_rows)

    def open_unchanged(self, digest: str) -> Dataset:
        """The data if they still have a digest, so that no two versions of a file get into one collection."""
        dataset = self.open()
        if dataset.digest != digest:
            raise InvalidDataset(
                f"{self.name} has changed since the collection began, or is another file on this worker; put the old "
                "one back to go on, or delete the journal to start again"
            )
        return dataset

    @property
    def settings(self) -> dict[str, Any]:
        """What tells the data from others, JSON-serializable."""
        dataset = self.open()
        settings = {"dataset": self.label, "data": dataset.digest}
        if self.is_file:
            settings |= {"target": dataset.target_name, "task": dataset.task}
        return settings


@lru_cache(maxsize=32)
def _rows(dataset: Dataset, n_rows: int | None) -> Dataset:
    check_classes(dataset)
    return dataset if n_rows is None else subsample(dataset, n_rows)
