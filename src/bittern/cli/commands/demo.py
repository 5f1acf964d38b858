from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bittern.cli.input import report_corpus
from bittern.cli.output import (
    announce_compilation,
    expect_output,
    print_message,
    print_topics,
)
from bittern.cli.panels import Panel

if TYPE_CHECKING:
    from bittern.corpus import Corpus

PANEL = Panel.FIND
EXAMPLE = "bittern demo --survey --report demo.html"

TOPICS, SURVEY_TOPICS = 20, 10
SURVEY = Path("answers.csv")
SEED = 0


def demo(
    survey: Annotated[
        bool,
        typer.Option(
            "--survey",
            help="Find topics in a passenger survey instead, and write it to answers.csv, the file "
            "that the documentation uses.",
        ),
    ] = False,
    topics: Annotated[
        int | None,
        typer.Option(
            "--topics",
            "-k",
            min=1,
            help="Number of topics.",
            show_default=f"{TOPICS}; {SURVEY_TOPICS} for the survey",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write a report to this html file.")
    ] = None,
) -> None:
    """Find topics in the docstrings of Python's standard library, or in a survey.

    A quick way to see what bittern does. It needs no files and no network connection.
    """
    expect_output(SURVEY if survey else None)
    expect_output(report)
    from bittern import BTM

    if report is not None:
        from bittern.report import check_page

        check_page(report)
    announce_compilation(quiet=False)
    topics = topics or (SURVEY_TOPICS if survey else TOPICS)
    corpus = _write_survey() if survey else _collect_docstrings(topics)
    model = BTM(topics, random_state=SEED, verbose=1).fit(corpus)
    print_topics(model.fitted_, words=10)
    if report is not None:
        title = "Passenger survey" if survey else "Python's standard library"
        model.report(corpus, title=title).save(report)
        print_message(f"Open {report} in a browser.")
    if survey:
        print_message(
            f"Next, train and save a model: bittern fit {SURVEY} --text answer --topics {topics} "
            f"--seed {SEED} --out {SURVEY.stem}.model"
        )


def _collect_docstrings(topics: int) -> "Corpus":
    """Collect the docstrings; their modules are the labels."""
    from bittern import Corpus
    from bittern.datasets import docstrings

    texts, modules = docstrings(verbose=1)
    print_message(f"{len(texts):,} docstrings of Python's standard library, {topics} topics")
    return Corpus.from_texts(texts, labels=modules, keep_texts=True)


def _write_survey() -> "Corpus":
    """Write the survey to the current directory, and read it as other commands do."""
    from bittern import read
    from bittern.datasets import save_survey

    is_new = not SURVEY.exists()
    save_survey(SURVEY)
    if is_new:
        print_message(f'Wrote {SURVEY}: answers of passengers to "What could we do better?"')
    corpus = read(SURVEY, text="answer", time="date", label="age", keep_texts=True, verbose=1)
    report_corpus(corpus, [str(SURVEY)], quiet=False)
    return corpus
