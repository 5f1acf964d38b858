import os
import warnings
from pathlib import Path

import pytest

from bittern.cluster import open_engine

TESTS = str(Path(__file__).parent.parent)


def open_for_tests(name):
    """Open an engine whose workers find the modules of the tests."""
    os.environ["PYTHONPATH"] = os.pathsep.join([TESTS, os.environ.get("PYTHONPATH", "")])
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return open_engine(name)


@pytest.fixture(scope="session", params=["local", "ray", "dask"])
def engine(request):
    """Two workers on each engine that is installed."""
    if request.param != "local":
        pytest.importorskip({"ray": "ray", "dask": "distributed"}[request.param])
    opened = open_for_tests(f"{request.param}:2")
    yield opened
    opened.close()
