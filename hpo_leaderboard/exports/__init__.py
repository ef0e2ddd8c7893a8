"""Runs in the formats of other tools: COCO's, which cocopp reads, and IOHprofiler's, which IOHanalyzer reads."""
