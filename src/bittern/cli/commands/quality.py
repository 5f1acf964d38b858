from typing import Any

from bittern.cli.checks import check_inputs
from bittern.cli.groups import FileArguments
from bittern.cli.input import all_cores, cluster_files, load_model
from bittern.cli.options import (
    AsJson,
    Cluster,
    Files,
    LabelColumn,
    ModelPath,
    ModelTokenizer,
    Quiet,
    TextColumn,
    TopWords,
)
from bittern.cli.output import print_json
from bittern.cli.panels import Panel
from bittern.cli.texts import read_texts

PANEL = Panel.EXPLORE
EXAMPLE = "bittern quality answers.model answers.csv --text answer --label region"


def quality(
    model: ModelPath,
    files: Files,
    reading: FileArguments,
    text: TextColumn = None,
    tokenizer: ModelTokenizer = None,
    label: LabelColumn = None,
    words: TopWords = 10,
    cluster: Cluster = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Report topic quality: likelihood, coherence, diversity, agreement with labels.

    Agreement with labels is reported only if --label is given.
    """
    check_inputs(files, reading, model, text=text, label=label)
    fitted = load_model(model, quiet, tokenizer)
    columns: Any = {"text": text, "label": label, **reading.as_keywords()}
    if cluster is None:
        from bittern.analysis.quality import measure_quality

        corpus = read_texts(fitted, files, quiet, **columns)
        measures = measure_quality(fitted, corpus, n=words, n_threads=all_cores())
    else:
        from bittern.cluster import quality as measure_parts

        measures = measure_parts(
            fitted, cluster_files(files), n=words, engine=cluster, verbose=int(not quiet), **columns
        )
    if as_json:
        print_json(measures)
        return
    for measure, value in measures.items():
        print(f"{measure:<24}{value:>10.4f}")
