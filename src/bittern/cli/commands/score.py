import json

from bittern.cli.checks import check_inputs
from bittern.cli.groups import FileArguments
from bittern.cli.input import all_cores, cluster_files, load_model
from bittern.cli.options import AsJson, Cluster, Files, ModelPath, ModelTokenizer, Quiet, TextColumn
from bittern.cli.panels import Panel
from bittern.cli.texts import read_texts

PANEL = Panel.APPLY
EXAMPLE = "bittern score answers.model new.csv --text answer"


def score(
    model: ModelPath,
    files: Files,
    reading: FileArguments,
    text: TextColumn = None,
    tokenizer: ModelTokenizer = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print the mean log-likelihood per biterm of texts; higher is better.

    Use held-out texts to compare models that have the same vocabulary. Words that the model does
    not know are ignored.
    """
    check_inputs(files, reading, model, text=text)
    fitted = load_model(model, quiet, tokenizer)
    if cluster is None:
        from bittern.analysis.likelihood import score_biterms

        corpus = read_texts(fitted, files, quiet, text=text, **reading.as_keywords())
        value = score_biterms(fitted, corpus, all_cores())
    else:
        from bittern.cluster import score as score_parts

        value = score_parts(
            fitted,
            cluster_files(files),
            engine=cluster,
            text=text,
            **reading.as_keywords(),
            verbose=int(not quiet),
        )
    print(json.dumps({"log_likelihood": value}) if as_json else f"{value:.4f}")
