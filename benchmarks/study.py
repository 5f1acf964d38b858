"""Write the pages in docs/study from finished studies: figures, tables and claims.

bittern study snippets.parquet --out build/study/snippets
python benchmarks/study.py build/study/snippets docs/study/tweets
"""

import argparse
import json
import shutil
from pathlib import Path

import polars as pl

from bittern.study.protocol import DEFAULT, FIXED
from bittern.study.results import mean_length
from report import DOCS, fill, table

PAGES = DOCS / "study"
SHORT_VERDICTS = {
    "holds only": "only",
    "holds": "yes",
    "does not hold": "**no**",
    "undecided": "undecided",
}
"""The first one that a verdict starts with is replaced."""


def copy(study: Path) -> None:
    """Copy the page, its figures and tables."""
    folder = PAGES / study.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("study.html", "settings.json"):
        shutil.copy(study / name, folder)
    for figure in sorted((study / "figures").glob("*.svg")):
        shutil.copy(figure, folder)
    for numbers in sorted((study / "tables").glob("*.csv")):
        shutil.copy(numbers, folder)


def corpora(folders: list[Path]) -> str:
    def row(folder: Path) -> list[str]:
        settings = json.loads((folder / "settings.json").read_text("utf-8"))
        lengths = pl.read_csv(folder / "lengths.csv")
        biterms = settings["training_biterms"] + settings["held_out_biterms"]
        return [
            f"[{folder.name}]({folder.name}/study.html)",
            f"{settings['documents']:,}",
            f"{mean_length(lengths):.2f}",
            f"{settings['words']:,}",
            f"{biterms:,}",
            str(settings["repeats"]),
        ]

    head = ["corpus", "documents", "mean length", "distinct words", "biterms", "repeats"]
    return table(head, [row(folder) for folder in folders])


def claims(folders: list[Path]) -> str:
    """A row for each claim, a column for each corpus; an earlier study may lack some claims."""
    rows: dict[str, dict[str, str]] = {}
    for folder in folders:
        for claim in pl.read_csv(folder / "claims.csv").to_dicts():
            title = f"{claim['claim']} ({claim['where']})"
            rows.setdefault(title, {})[folder.name] = shorten(claim["verdict"])
    names = [folder.name for folder in folders]
    cells = [[title, *(its.get(name, "") for name in names)] for title, its in rows.items()]
    return table(["claim", *names], cells)


def shorten(verdict: str) -> str:
    start = next(start for start in SHORT_VERDICTS if verdict.startswith(start))
    return SHORT_VERDICTS[start] + verdict.removeprefix(start)


def differences(folders: list[Path], of: str, minus: str) -> str:
    """A row for each corpus, a column for each K."""
    rows, topics = [], []
    for folder in folders:
        found = pl.read_csv(folder / "differences.csv").filter(
            (pl.col("of") == of) & (pl.col("minus") == minus)
        )
        topics = found["topics"].to_list()
        cells = [
            f"{r['difference']:+.4f} [{r['low']:+.4f}, {r['high']:+.4f}]" for r in found.to_dicts()
        ]
        rows.append([folder.name, *cells])
    return table(["corpus", *(f"K = {k}" for k in topics)], rows)


def texts(folders: list[Path]) -> str:
    """A row for each algorithm, a column for each corpus: the score with 0.01, and the gains."""
    cells: dict[str, dict[str, str]] = {}
    folders = [folder for folder in folders if (folder / "text_differences.csv").exists()]
    for folder in folders:
        found = pl.read_csv(folder / "text_differences.csv").to_dicts()
        gains = {(row["of"], row["minus"]): row for row in found}
        scores = pl.read_csv(folder / "summary.csv", infer_schema_length=None).filter(
            (pl.col("experiment") == "texts") & (pl.col("setting") == FIXED)
        )
        for label, score in scores.select("label", "held_out").rows():
            adaptive, default = gains[label, label], gains[DEFAULT, label]
            cells.setdefault(label, {})[folder.name] = (
                f"{score:.3f}, {interval(adaptive)}, {interval(default)}"
            )
    names = [folder.name for folder in folders]
    rows = [[label, *(its.get(name, "") for name in names)] for label, its in cells.items()]
    return table(["algorithm", *names], rows)


def interval(row: dict[str, float]) -> str:
    return f"{row['difference']:+.3f} ± {row['high'] - row['difference']:.3f}"


def evidence(folders: list[Path]) -> str:
    """List the evidence for claims that are not about differences, corpus by corpus."""
    parts = []
    for folder in folders:
        others = pl.read_csv(folder / "claims.csv").filter(
            ~pl.col("evidence").str.starts_with("Mean difference")
        )
        lines = [f"- {c['claim']} *{c['verdict']}.* {c['evidence']}" for c in others.to_dicts()]
        parts.append("\n".join([f"**{folder.name}**", "", *lines]))
    return "\n\n".join(parts)


def images(folders: list[Path], name: str) -> str:
    return "\n\n".join(
        f"**{folder.name}**\n\n![{folder.name}]({folder.name}/{name}.svg)"
        for folder in folders
        if (folder / f"{name}.svg").exists()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("studies", nargs="+", type=Path, help="Directories of finished studies.")
    args = parser.parse_args()
    for study in args.studies:
        if study.resolve().parent != PAGES.resolve():  # a page that is there stays as it is
            copy(study)
    folders = [PAGES / study.name for study in args.studies]
    parts = {
        "corpora": corpora(folders),
        "claims": claims(folders),
        "sdm-scvb0": differences(folders, "SDM", "SCVB0"),
        "sdm-ibtm": differences(folders, "SDM", "iBTM"),
        "sdm-obtm": differences(folders, "SDM", "oBTM"),
        "cooldown-sdm": differences(folders, "SDM with cool-down", "SDM"),
        "texts": texts(folders),
        "evidence": evidence(folders),
        "figure-3": images(folders, "topics"),
        "figure-4": images(folders, "share"),
        "seconds": images(folders, "seconds"),
        "figure-texts": images(folders, "texts"),
    }
    fill(PAGES / "index.md", parts)


if __name__ == "__main__":
    main()
