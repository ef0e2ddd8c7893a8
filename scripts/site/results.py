"""The reference leaderboards: Markdown pages with pictures in docs/results, from the runs of an archive or a store.

python -m scripts.site.results                             of the archive that comes with the package
python -m scripts.site.results leaderboard/quick.sqlite    of a store
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hpo_core.storage.files import write_text
from hpo_leaderboard.archive.packed.archive_file import read_archive
from hpo_leaderboard.archive.packed.opening import fill_store
from hpo_leaderboard.archive.shipped import shipped_archive
from hpo_leaderboard.report import score_store
from hpo_leaderboard.store.store import reading
from scripts.site.result_pages import Chapter, chapter_page, list_of_chapters

FOLDER = Path(__file__).parent.parent.parent / "docs" / "results"
TITLES = {  # of families, in the order of the pages
    "fcnet": "FC-Net tables",
    "nb201": "NAS-Bench-201",
    "mini": "Tables with learning curves",
    "taskset": "TaskSet",
    "lcbench": "LCBench",
    "profet-svm": "Generated SVM tasks",
    "profet-fcnet": "Generated FC-Net tasks",
    "profet-xgboost": "Generated XGBoost tasks",
}


def pages_from(store: Path, folder: Path, source: str) -> list[Path]:
    """Paths of the pages about a store, after writing them and their pictures; the first one lists the others.

    `source` is a sentence that says where the runs are from. The folder is emptied first.
    """
    shutil.rmtree(folder, ignore_errors=True)  # else the page of a family that is gone would stay
    (folder / "pictures").mkdir(parents=True)
    chapters = list(chapters_of(store))
    texts = {"index": list_of_chapters(chapters, source)}
    texts |= {chapter.name: chapter_page(chapter, folder / "pictures", source) for chapter in chapters}
    for name, text in texts.items():
        write_text(folder / f"{name}.md", text)
    return [folder / f"{name}.md" for name in texts]


def chapters_of(store: Path) -> Iterator[Chapter]:
    """A chapter for each family of benchmarks; generated tasks have one for each model."""
    with reading(store) as opened:
        tasks = opened.frames(configs=False).tasks
    of: dict[str, list[str]] = {}
    for benchmark, family in sorted(tasks[["benchmark", "family"]].itertuples(index=False, name=None)):
        of.setdefault(benchmark.partition("/")[0] if "/" in benchmark else family, []).append(benchmark)
    for name in sorted(of, key=lambda name: ([*TITLES, name].index(name), name)):
        scored = score_store(store, benchmarks=of[name])
        if scored.groups:
            yield Chapter(name, TITLES.get(name, name), of[name], scored)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    if options.store is not None:
        made = pages_from(options.store, options.out, f"Made from the store `{options.store.name}`.")
    else:
        archive = read_archive(shipped_archive())
        source = (
            f"Made from the [archive](../archive.md) that comes with the package: {archive.n_runs:,} recorded runs, "
            f"digest `{archive.digest()[:16]}`. `hpo archive verify` runs a sample of them again and compares bits."
        )
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "reference.sqlite"
            for line in fill_store(archive, store):
                print(line)
            made = pages_from(store, options.out, source)
    for path in made:
        print(path)


if __name__ == "__main__":
    main()
