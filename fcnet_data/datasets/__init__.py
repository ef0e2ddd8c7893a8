"""Datasets to train on: `load(name)` for those in the catalogue, `load(path)` for your own file."""

from fcnet_data.datasets.dataset import Dataset, InvalidDataset
from fcnet_data.datasets.loading import load, names
from fcnet_data.datasets.splits import Split, folds, split, standardised, subsample

__all__ = ["Dataset", "InvalidDataset", "Split", "folds", "load", "names", "split", "standardised", "subsample"]
