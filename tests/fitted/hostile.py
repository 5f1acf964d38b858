"""Load hostile models, use those that load, and report time and memory; run as a program.

python hostile.py MODEL...     prints a line of JSON for each change of each field
"""

import contextlib
import copy
import json
import os
import resource
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

HUGE = 10**9
ODD_VALUES = {
    "negative": -1,
    "huge": HUGE,
    "digits": 10**900,
    "nan": float("nan"),
    "infinity": float("inf"),
    "text": "x\ny",
    "nothing": None,
    "list": [1],
    "nested": [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],
    "object": {"a": 1},
    "boolean": True,
}
HARMLESS = {  # values that a state can have, or that are computed again
    ("state.background", "missing"),
    ("state.cooling", "huge"),
    ("state.seeds", "empty"),
    ("state.topics", "empty"),
    ("state.topics", "longer"),
    ("state.topics", "shorter"),
    ("state.totals", "negative"),
    ("state.updates", "huge"),
}
OWN_FIELDS = ("algorithm", "rng", "slice")  # of the configuration: what differs between models


def array_changes(array):
    """Yield a name and a changed array."""
    changed = np.array(array)
    if changed.dtype.kind == "f":
        for name, value in (("nan", np.nan), ("infinity", np.inf), ("negative", -5.0)):
            yield name, _with_first(changed, value)
        yield "huge", _with_first(changed, 1e30)
    else:
        limits = np.iinfo(changed.dtype)
        yield "negative", _with_first(changed, -1 if limits.min < 0 else limits.max)
        yield "huge", _with_first(changed, limits.max)
    other = np.float32 if changed.dtype != np.float32 else np.float64
    yield "dtype", changed.astype(other)
    yield "axes", changed[np.newaxis]
    if changed.ndim > 0:
        yield "shorter", changed[1:].copy() if changed.size else np.zeros(7, changed.dtype)
        yield "longer", np.concatenate([changed, changed, changed[:1]])
        yield "empty", changed[:0].copy() if changed.size else np.zeros(1, changed.dtype)


def _with_first(array, value):
    changed = array.copy()
    if changed.size:
        changed.reshape(-1)[0] = value
    return changed


def config_changes(config, path=()):
    """Yield the path of a field and a changed configuration, for each field at any depth."""
    for key, value in list(config.items()) if isinstance(config, dict) else []:
        for kind, odd in ODD_VALUES.items():
            yield (*path, key), kind, odd
        yield (*path, key), "missing", ...
        if isinstance(value, dict):
            yield from config_changes(value, (*path, key))


def change_config(config, path, value):
    changed = copy.deepcopy(config)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    if value is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return changed


def file_changes(model):
    """Yield a name and a function that damages a file."""

    def header(change):
        def apply():
            data = model / "model.safetensors"
            content = data.read_bytes()
            n = int.from_bytes(content[:8], "little")
            text = change(json.loads(content[8 : 8 + n]))
            text = text if isinstance(text, bytes) else json.dumps(text).encode()
            data.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + n :])

        return apply

    def scaled(factor):
        def change(header):
            for entry in header.values():
                entry["shape"] = [factor * n for n in entry["shape"]]
            return header

        return change

    def shifted(header):
        for entry in header.values():
            entry["data_offsets"] = [0, entry["data_offsets"][1] - entry["data_offsets"][0]]
        return header

    def replace(name, action):
        def apply():
            (model / name).unlink()
            action(model / name)

        return apply

    for name in ("config.json", "model.safetensors", "vocabulary.txt"):
        yield f"{name}: pipe", replace(name, os.mkfifo)
        yield f"{name}: device", replace(name, lambda path: path.symlink_to("/dev/zero"))
        yield f"{name}: directory", replace(name, os.mkdir)
        yield f"{name}: empty", replace(name, Path.touch)
        yield f"{name}: sparse", lambda name=name: os.truncate(model / name, 1 << 36)
        yield f"{name}: loop", replace(name, lambda path: path.symlink_to(path))
    yield "shapes: large", header(scaled(10**6))
    yield "shapes: beyond 64 bits", header(scaled(10**30))
    yield "offsets: overlap", header(shifted)
    yield "header: deep", header(lambda _: b"[" * 100_000 + b"]" * 100_000)
    yield "header: many", header(lambda _: b"[" + b"{}," * 5_000_000 + b"{}]")
    yield "header: list", header(lambda _: [])
    yield "header: huge", lambda: _write_length(model / "model.safetensors", 1 << 60)
    config = model / "config.json"
    yield "config: deep", lambda: config.write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    yield "config: many", lambda: config.write_text("[" + "[]," * 5_000_000 + "[]]")
    yield "config: digits", lambda: config.write_text('{"format": ' + "1" * 4_000 + "}")
    yield "config: not text", lambda: config.write_bytes(b"\xff\xfe{}")
    words = model / "vocabulary.txt"
    yield "words: same", lambda: words.write_text("a\n" * words.read_text().count("\n"))
    yield "words: fewer", lambda: words.write_text("a\n")
    yield "words: not text", lambda: words.write_bytes(b"\xff" + words.read_bytes()[1:])


def _write_length(path, length):
    with path.open("r+b") as file:
        file.write(length.to_bytes(8, "little"))


def all_changes(model, original, everything):
    """Yield a name, whether the model may still be valid, and a function that changes the model."""
    tensors = load_file(original / "model.safetensors")

    def save(changed):
        return lambda: save_file(changed, model / "model.safetensors")

    for field, array in tensors.items():
        is_harmless = {
            kind for name, kind in HARMLESS if name == field and "state.first" not in tensors
        }
        for kind, changed in array_changes(array):
            if not (np.array_equal(changed, array) and changed.dtype == array.dtype):
                yield f"{field}: {kind}", kind in is_harmless, save(tensors | {field: changed})
        rest = {name: array for name, array in tensors.items() if name != field}
        yield f"{field}: missing", "missing" in is_harmless, save(rest)
    config = json.loads((original / "config.json").read_text())
    for path, kind, value in config_changes(config):
        if everything or path[0].startswith(OWN_FIELDS):
            changed = json.dumps(change_config(config, path, value))
            # some values are allowed for some fields: then the model must work
            yield (
                f"{'.'.join(path)}: {kind}",
                True,
                lambda text=changed: (model / "config.json").write_text(text),
            )
    for name, change in file_changes(model) if everything else []:
        yield name, False, change


def use(model):
    """Do what kernels do with a model; return what is wrong with the result."""
    from bittern.errors import InputError

    texts = ["topic0word1 topic0word2 topic1word3", "topic2word1 fresh word"]
    actions = [
        lambda: model.transform(texts),
        lambda: model.score(texts),
        lambda: [model.slice_topics(index) for index in range(len(model.slices_))],
        lambda: model.partial_fit(texts * 9),
        lambda: model.merge_topics([0, 1]),
    ]
    for action in actions:
        with contextlib.suppress(InputError):
            action()
    return [
        name
        for name, values in (("theta", model.theta_), ("phi", model.phi_))
        if not (np.isfinite(values).all() and (values >= 0).all())
    ]


def peak():
    """The largest memory of this process so far, in megabytes."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def restart_peak():
    """Make the current memory the largest so far, where Linux can do that, and return it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def main(originals):
    from bittern import load
    from bittern.errors import InputError

    paths = [Path(original) for original in originals]
    for original in paths:
        use(load(original))  # compile everything first
    for original in paths:
        model = original.with_name("hostile")
        for name, may_be_valid, change in all_changes(model, original, original == paths[0]):
            shutil.rmtree(model, ignore_errors=True)
            shutil.copytree(original, model)
            change()
            before = restart_peak()
            start, outcome = time.perf_counter(), "loaded"
            try:
                loaded = load(model)
            except InputError as error:
                outcome = "rejected" if "\n" not in str(error) else "two lines"
            seconds = time.perf_counter() - start
            after = peak()
            wrong = use(loaded) if outcome == "loaded" else []
            report = {
                "model": original.name,
                "change": name,
                "outcome": outcome,
                "may_be_valid": may_be_valid,
                "wrong": wrong,
                "seconds": seconds,
                "megabytes": after - before,
            }
            print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
