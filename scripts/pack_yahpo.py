"""Pack the networks of YAHPO Gym into `tabular/data/yahpo/*.h5`, which the package carries.

    python scripts/pack_yahpo.py SOURCE_DIR [--scenarios lcbench,iaml-glmnet]

SOURCE_DIR holds the files of github slds-lmu/yahpo_data: a folder per scenario with `model.onnx`, `config_space.json`
and `encoding.json`, and `input_order.json` with the order of the inputs and targets. Needs the package `onnx`.

The weights are taken over as they are. Then, for each instance, a search looks for the lowest loss at the full budget,
which takes 4 to 12 CPU seconds. Records that a file has already, of the same network and search, are kept: the script
can be stopped and started again.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from tabular.yahpo.measures import record_of
from tabular.yahpo.optimum_search import SearchSettings, search_optimum
from tabular.yahpo.problem import NetworkProblem
from tabular.yahpo.scenarios import SCENARIOS, Scenario
from tabular.yahpo.source import read_source
from tabular.yahpo.surrogate import Record, SurrogateNetwork, read_surrogate, shipped_path, write_surrogate

SETTINGS = SearchSettings()
SEED = 0
SAVED_EVERY = 10  # instances


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="folder with the files of yahpo_data")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help="names, separated by commas (all)")
    options = parser.parse_args()
    for name in options.scenarios.split(","):
        pack(SCENARIOS[name], options.source)


def pack(scenario: Scenario, source: Path) -> None:
    """Write the file of a scenario."""
    path, surrogate = shipped_path(scenario.name), read_source(source, scenario)
    records = kept_records(path, surrogate)
    for done, instance in enumerate(tqdm(scenario.instances, desc=scenario.name, unit="instance", disable=None)):
        if instance not in records:
            problem = NetworkProblem(scenario, surrogate, instance)
            records[instance] = record_of(problem, search_optimum(problem, SEED, SETTINGS), SETTINGS, SEED)
        if done % SAVED_EVERY == SAVED_EVERY - 1:
            write_surrogate(replace(surrogate, records=records), path)
    write_surrogate(replace(surrogate, records=records), path)
    agreeing = sum(record.agreeing > 1 for record in records.values())
    print(
        f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, {len(records)} instances; on {agreeing} of them several "
        f"restarts of the search agree; extrapolated optimum on {sum(r.optimum_extrapolated for r in records.values())}"
    )


def kept_records(path: Path, surrogate: SurrogateNetwork) -> dict[str, Record]:
    """Records of a file that is there already and holds the same network."""
    if not path.is_file():
        return {}
    there = read_surrogate(path)
    if there.checksum != surrogate.checksum:
        return {}
    return {name: record for name, record in there.records.items() if record.evaluations == SETTINGS.evaluations}


if __name__ == "__main__":
    main()
