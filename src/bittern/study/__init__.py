"""The experiments of the paper on any corpus, and a page that shows the results."""

import hashlib
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bittern._core.threads import resolve_n_jobs
from bittern.biterms import extract_biterms
from bittern.charts import check_installed
from bittern.corpus.corpus import Corpus
from bittern.corpus.tables import write_table
from bittern.errors import InputError
from bittern.study.folder import Folder
from bittern.study.protocol import COMPARED_ALGORITHMS, QUICK, Protocol
from bittern.study.results import collect_results
from bittern.study.runner import execute_runs

__all__ = ["QUICK", "Protocol", "study"]

MIN_BITERMS = 1000


def study(
    corpus: Corpus,
    out: str | Path,
    protocol: Protocol | None = None,
    n_jobs: int | None = -1,
    verbose: int = 0,
    name: str = "your texts",
) -> Path:
    """Run the paper's experiments on a corpus and write a page with the results.

    Finished runs are saved in `out`: call it again to resume an interrupted study. It needs about
    40 bytes of memory for each biterm, and 8 K W bytes for each thread.

    Parameters
    ----------
    corpus : Corpus
        Documents with word order; those with fewer than two words are dropped.
    out : str or Path
        Directory of the study: a new or empty one, or one to resume.
    protocol : Protocol, optional
        Settings of the experiments; by default those of the paper.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. Timed runs use one.
    verbose : int
        1 shows progress on standard error.
    name : str
        Name of the corpus in the title of the page.

    Returns
    -------
    Path
        The page, `study.html`. Next to it are `figures` (SVG and PNG), `tables` (CSV and Parquet)
        and `settings.json`.

    Raises
    ------
    InputError
        If the corpus is too small, or if `out` contains something else.

    Examples
    --------
    >>> import bittern
    >>> from bittern.study import QUICK, study
    >>> corpus = bittern.read("tweets.csv", text="tweet")  # doctest: +SKIP
    >>> study(corpus, "study", QUICK, name="tweets")  # doctest: +SKIP
    PosixPath('study/study.html')
    """
    check_installed()
    protocol = protocol or Protocol()
    if corpus.counts is not None:
        raise InputError("a study needs documents with word order, not word counts; use texts")
    corpus = corpus[np.diff(corpus.indptr) >= 2]
    biterms = extract_biterms(corpus, protocol.window)
    if len(biterms) < MIN_BITERMS:
        raise InputError(
            f"the corpus has {len(biterms):,} biterms but a study needs at least {MIN_BITERMS:,}; "
            "use more texts"
        )
    folder = Folder(out, _basis(protocol, corpus))
    execute_runs(protocol, corpus, biterms, folder, resolve_n_jobs(n_jobs), verbose)
    return _write_results(protocol, corpus, len(biterms), folder, name)


def _write_results(
    protocol: Protocol, corpus: Corpus, n_biterms: int, folder: Folder, name: str
) -> Path:
    """Write tables, figures, settings and the page."""
    from bittern.study.claims import evaluate_claims
    from bittern.study.figures import make_figures
    from bittern.study.page import study_page

    n_test = protocol.n_held_out(n_biterms)
    results = collect_results(protocol, folder, corpus, n_biterms - n_test)
    results.write(folder.path / "tables")
    claims = evaluate_claims(results)
    write_table(pl.DataFrame(claims), folder.path / "tables" / "claims.csv")
    settings = {
        "name": name,
        **_basis(protocol, corpus),
        **asdict(protocol),
        "training_biterms": results.n_train,
        "held_out_biterms": n_test,
        "algorithms": {label: repr(its) for label, its in COMPARED_ALGORITHMS.items()},
    }
    folder.write_json("settings.json", settings)
    images = folder.path / "figures"
    images.mkdir(exist_ok=True)
    figures = make_figures(results)
    for figure in figures:
        figure.save(images)
    folder.write_text("study.html", study_page(settings, results, claims, figures, images))
    return folder.path / "study.html"


def _basis(protocol: Protocol, corpus: Corpus) -> dict[str, Any]:
    """Everything that all results of a study depend on."""
    digest = hashlib.blake2b(corpus.tokens.tobytes() + corpus.indptr.tobytes(), digest_size=8)
    return {
        "version": version("bittern"),
        "timing": "without the initial state",
        "documents": len(corpus),
        "words": len(corpus.vocabulary),
        "texts": digest.hexdigest(),
        **protocol.run_settings(),
    }
