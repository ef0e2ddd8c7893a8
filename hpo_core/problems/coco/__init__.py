"""COCO's functions as problems: the suites bbob and bbob-mixint, through the package coco-experiment."""
