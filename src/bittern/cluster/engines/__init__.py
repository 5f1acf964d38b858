"""Engines that run bittern on several processes or machines."""

from bittern.cluster.engines.contract import ClusterLostError, Engine, WorkerLostError
from bittern.errors import InputError

__all__ = ["ClusterLostError", "Engine", "WorkerLostError", "open_engine"]

EXAMPLES = "local:4, ray, ray://head:10001, dask or dask tcp://head:8786"


def open_engine(name: str) -> Engine:
    """Connect to a cluster, or start workers on this machine.

    Parameters
    ----------
    name : str
        "local:4" starts four processes; "ray" and "dask" start workers on this machine, one for
        each core; "ray://head:10001", "ray head:6379" and "dask tcp://head:8786" connect to a
        cluster. "ray:2" and "dask:2" start two workers.

    Returns
    -------
    Engine
        Close it when you are done.

    Raises
    ------
    InputError
        If the name has another form, the package is not installed, or the cluster is not reached.

    Examples
    --------
    >>> from bittern.cluster import open_engine
    >>> engine = open_engine("local:2")
    >>> engine.workers()
    ['worker 1', 'worker 2']
    >>> engine.close()
    """
    if name.startswith("ray://"):
        name = f"ray {name}"
    start, _, address = name.partition(" ")
    kind, _, number = start.partition(":")
    if (
        kind not in ("local", "ray", "dask")
        or (number and (not number.isdecimal() or int(number) == 0))
        or (address and (number or kind == "local"))
    ):
        raise InputError(f'unknown cluster "{name}"; use {EXAMPLES}')
    n_workers = int(number) if number else None
    try:
        match kind:
            case "local":
                from bittern.cluster.engines.local import LocalEngine

                return LocalEngine(n_workers)
            case "ray":
                from bittern.cluster.engines.ray import RayEngine

                return RayEngine(address or None, n_workers)
        from bittern.cluster.engines.dask import DaskEngine

        return DaskEngine(address or None, n_workers)
    except ModuleNotFoundError as error:
        if error.name not in ("ray", "dask", "distributed"):
            raise
        raise InputError(f"{kind} is not installed; run: pip install 'bittern[{kind}]'") from None
