"""Write the tables and images of docs/benchmarks.md from benchmarks/results.json."""

import json
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
COLORS = {"time": "#1f6f8b", "memory": "#c0562f"}


def write(results: dict) -> None:
    """Write the tables into the page, and draw the images."""
    fill(DOCS / "benchmarks.md", {name: make(results) for name, make in TABLES.items()})
    draw(results["growth"])


def fill(page: Path, parts: dict[str, str]) -> None:
    """Replace each part of a page between its marks, <!-- name --> and <!-- end -->."""
    text = page.read_text("utf-8")
    for name, part in parts.items():
        before, rest = text.split(f"<!-- {name} -->\n", 1)
        _, after = rest.split("<!-- end -->", 1)
        text = f"{before}<!-- {name} -->\n\n{part}\n\n<!-- end -->{after}"
    page.write_text(text, "utf-8")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def si(n: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= 0.9995 * size:
            return f"{n / size:.3g} {letter}"
    return f"{n:.3g}"


def machine(results: dict) -> str:
    its = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in its["versions"].items())
    return (
        f"{its['processor']}, {its['cores']} cores, {its['memory'] / 1e9:.0f} GB of memory, "
        f"Python {its['python']}; {versions}."
    )


def text(results: dict) -> str:
    return table(
        ["corpus", "texts", "bittern, texts/s", "CountVectorizer, texts/s", "ratio"],
        [
            [
                r["corpus"],
                f"{r['texts']:,}",
                si(r["bittern"]),
                si(r["scikit-learn"]),
                f"{r['ratio']:.1f}",
            ]
            for r in results["text"]
        ],
    )


def kernel(results: dict) -> str:
    return table(
        ["corpus", "", "biterms/s, median", "best", "times bitermplus", "times C++"],
        [
            [
                r["corpus"],
                name,
                si(its["median"]),
                si(its["best"]),
                f"{its['times bitermplus']:.1f}" if "times bitermplus" in its else "",
                f"{its['times C++']:.2f}" if "times C++" in its else "",
            ]
            for r in results["kernel"]
            for name, its in r["rates"].items()
        ],
    )


def peers(results: dict) -> str:
    def row(r: dict) -> list[str]:
        text, learning = r["seconds"]["text"], r["seconds"]["learning"]
        return [
            r["corpus"],
            r["tool"],
            f"{text + learning:.2f}",
            si(r["texts"] / text),
            si(r["biterms"] / learning),
            f"{r['peak'] / 1e6:.0f}",
            f"{r['score']:.3f}",
        ]

    head = [
        "corpus",
        "tool",
        "seconds",
        "text, texts/s",
        "training, biterms/s",
        "peak, MB",
        "score",
    ]
    return table(head, [row(r) for r in results["peers"]])


def reach(results: dict) -> str:
    lines = []
    for r in results["peers"]:
        if "to the score of bitermplus" in r:
            ratio, took = r["to the score of bitermplus"], sum(r["seconds"].values())
            name = r["tool"].replace(", ", " with ")
            lines.append(
                f"- {r['corpus']}, {results['topics']} topics: {name} reaches "
                f"{r['score']:.3f} in {took:.2f} seconds, **{ratio:.0f} times** as fast "
                "as 50 sweeps of bitermplus."
            )
    return "\n".join(lines)


def growth(results: dict) -> str:
    def row(r: dict) -> list[str]:
        text, learning = r["seconds"]["text"], r["seconds"]["learning"]
        return [
            f"{r['documents']:,}",
            si(r["biterms"]),
            str(r["topics"]),
            str(r["jobs"]) + (f", {r['memory']}" if "memory" in r else ""),
            f"{text:.2f}",
            f"{learning:.2f}",
            f"{1e9 * (text + learning) / r['biterms']:.0f}",
            f"{r['peak'] / 1e9:.2f}",
        ]

    head = [
        "texts",
        "biterms",
        "topics",
        "threads",
        "text, s",
        "training, s",
        "ns per biterm",
        "peak, GB",
    ]
    return table(head, [row(r) for part in results["growth"].values() for r in part])


TABLES = {
    "machine": machine,
    "text": text,
    "kernel": kernel,
    "peers": peers,
    "reach": reach,
    "growth": growth,
}


def draw(growth: dict) -> None:
    """Draw time and memory by documents, topics and threads."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "bittern"
    from matplotlib import pyplot as plt

    for name, key, label in (
        ("documents", "biterms", "biterms"),
        ("topics", "topics", "topics"),
        ("threads", "jobs", "threads"),
    ):
        rows = growth[name]
        x = [row[key] for row in rows]
        figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
        left.plot(x, [sum(r["seconds"].values()) for r in rows], "o-", color=COLORS["time"])
        left.set_ylabel("seconds from file to topics")
        right.plot(x, [row["peak"] / 1e9 for row in rows], "o-", color=COLORS["memory"])
        right.set_ylabel("peak memory, GB")
        for axes in (left, right):
            axes.set_xlabel(label)
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(alpha=0.3)
            if name != "threads":
                axes.set_xscale("log")
            else:
                axes.set_xticks(x)
            axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
        if name == "documents":
            left.set_yscale("log")
            left.set_ylim(0.1, 100)
        figure.tight_layout()
        folder = DOCS / "images"
        folder.mkdir(exist_ok=True)
        figure.savefig(folder / f"growth-{name}.svg", metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    write(json.loads(Path(__file__).with_name("results.json").read_text()))
