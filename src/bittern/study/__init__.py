"""The paper's experiments on any corpus: section 4, what it leaves open, and a page about it."""

import hashlib
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bittern._core.threads import resolve_n_jobs
from bittern.biterms import extract_biterms
from bittern.charts.charts import check_installed
from bittern.corpus.corpus import Corpus
from bittern.corpus.tables import write_table
from bittern.errors import InputError
from bittern.study.folder import Folder
from bittern.study.protocol import COMPARED, QUICK, Protocol
from bittern.study.running import run_all
from bittern.study.tables import collect

__all__ = ["QUICK", "Protocol", "study"]

FEWEST = 1000  # biterms, below which nothing could be seen


def study(
    corpus: Corpus,
    out: str | Path,
    protocol: Protocol | None = None,
    n_jobs: int | None = -1,
    verbose: int = 0,
    name: str = "your texts",
) -> Path:
    """Repeat the paper's experiments on a corpus; gives the page that shows what was found.

    What is finished is kept in `out`: an interrupted study goes on where it was. Memory: about
    40 bytes for each biterm, and 8 K W for each thread.
    """
    check_installed()
    protocol = protocol or Protocol()
    if corpus.counts is not None:
        raise InputError("a study needs documents with their words in order, not word counts")
    corpus = _at_least_two_words(corpus)
    biterms = extract_biterms(corpus, protocol.window)
    if len(biterms) < FEWEST:
        raise InputError(f"there are {len(biterms):,} biterms: a study needs {FEWEST:,} and more")
    folder = Folder(out, _basis(protocol, corpus))
    run_all(protocol, corpus, biterms, folder, resolve_n_jobs(n_jobs), verbose)
    return _show(protocol, corpus, len(biterms), folder, name)


def _show(protocol: Protocol, corpus: Corpus, n_biterms: int, folder: Folder, name: str) -> Path:
    """Write tables, figures, settings and the page."""
    from bittern.study.claims import claims
    from bittern.study.figures import figures
    from bittern.study.page import page

    n_test = round(protocol.test_size * n_biterms)
    n_train = n_biterms - n_test
    tables = collect(protocol, folder, corpus, n_train)
    tables.write(folder.path / "tables")
    found = claims(tables, n_train)
    write_table(pl.DataFrame(found), folder.path / "tables" / "claims.csv")
    settings = {
        "name": name,
        **_basis(protocol, corpus),
        **asdict(protocol),
        "training_biterms": n_train,
        "held_out_biterms": n_test,
        "algorithms": {label: repr(algorithm) for label, algorithm in COMPARED.items()},
    }
    folder.write_json("settings.json", settings)
    pictures = figures(tables, protocol.focus)
    (folder.path / "figures").mkdir(exist_ok=True)
    for picture in pictures:
        picture.save(folder.path / "figures")
    html = page(settings, tables, found, pictures, folder.path / "figures")
    folder.write_text("study.html", html)
    return folder.path / "study.html"


def _at_least_two_words(corpus: Corpus) -> Corpus:
    return corpus[np.diff(corpus.indptr) >= 2]


def _basis(protocol: Protocol, corpus: Corpus) -> dict[str, Any]:
    """What all numbers of a study depend on."""
    digest = hashlib.blake2b(corpus.tokens.tobytes() + corpus.indptr.tobytes(), digest_size=8)
    return {
        "version": version("bittern"),
        "documents": len(corpus),
        "words": len(corpus.vocabulary),
        "texts": digest.hexdigest(),
        **protocol.bits(),
    }
