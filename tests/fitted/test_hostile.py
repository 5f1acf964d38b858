"""Models that someone made to do harm: each field of each algorithm's saved model is changed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bittern import BTM
from bittern.algorithms import ALGORITHMS, SDM, Growable, IncrementalBTM, OnlineBTM
from known import blocks

TEXTS, _ = blocks(n_documents=60)
SETTINGS = {  # other than the defaults: small, or with more in their state
    "sdm": SDM(seed_words={"seeded": ["topic0word0"]}),
    "online": OnlineBTM(slices=2, sweeps=2, decay=0.5),
    "incremental": IncrementalBTM(rejuvenation=1),
}
GENERATORS = ("MT19937", "Philox", "SFC64")
MAX_SECONDS, MAX_MEGABYTES = 10, 300  # two seconds are enough, unless the machine is busy


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """One model of each algorithm, and of each random number generator."""
    folder = tmp_path_factory.mktemp("models")
    for name in ALGORITHMS:
        model = BTM(4, SETTINGS.get(name, name), random_state=0).fit(TEXTS)
        model.name_topics({0: "named"}).save(folder / name)
    for name in GENERATORS:
        rng = np.random.Generator(getattr(np.random, name)(0))
        BTM(4, "scvb0", random_state=rng).fit(TEXTS).save(folder / name)
    return sorted(folder.iterdir(), key=lambda path: (path.name != "sdm", path.name))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes and devices among its files")
def test_hostile_models_are_rejected_quickly_and_in_little_memory(models):
    """InputError or, where the changed value is a valid one, a model that works."""
    program = Path(__file__).with_name("hostile.py")
    command = [sys.executable, str(program), *map(str, models)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=500)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after {reports[-1:]}: {done.stderr[-2000:]}"
    accepted = [report for report in reports if report["outcome"] != "rejected"]
    assert [report for report in accepted if not report["may_be_valid"] or report["wrong"]] == []
    assert len(reports) - len(accepted) > 2000
    assert max(report["seconds"] for report in reports) < MAX_SECONDS
    assert max(report["megabytes"] for report in reports) < MAX_MEGABYTES


def test_every_field_of_a_saved_state_is_described():
    for algorithm in ALGORITHMS.values():
        expected = algorithm.state_type._fields if issubclass(algorithm, Growable) else ()
        assert tuple(algorithm.layout) == expected
