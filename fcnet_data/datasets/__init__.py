"""Datasets to train on: `open_dataset(name)` for those in the catalogue, `open_dataset(path)` for your own file."""

from fcnet_data.datasets.dataset import Dataset, InvalidDataset
from fcnet_data.datasets.loading import names, open_dataset
from fcnet_data.datasets.splits import Split, folds, split, standardised, subsample

__all__ = ["Dataset", "InvalidDataset", "Split", "folds", "names", "open_dataset", "split", "standardised", "subsample"]
