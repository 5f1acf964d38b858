import json

from bittern.cli.checks import check_inputs
from bittern.cli.input import all_cores, cluster_files, load_model
from bittern.cli.options import AsJson, Cluster, Files, Format, ModelPath, Quiet, TextColumn
from bittern.cli.panels import Panel
from bittern.cli.texts import read_texts

PANEL = Panel.APPLY
EXAMPLE = "bittern score answers.model new.csv --text answer"


def score(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print the mean log-likelihood per biterm of texts; higher is better.

    Use held-out texts to compare models that have the same vocabulary. Words that the model does
    not know are ignored.
    """
    check_inputs(files, format, model, text=text)
    fitted = load_model(model, quiet)
    if cluster is None:
        from bittern.analysis.likelihood import score_biterms

        corpus = read_texts(fitted, files, quiet, text=text, format=format)
        value = score_biterms(fitted, corpus, all_cores())
    else:
        from bittern.cluster import score as score_parts

        value = score_parts(
            fitted,
            cluster_files(files),
            engine=cluster,
            text=text,
            format=format,
            verbose=int(not quiet),
        )
    print(json.dumps({"log_likelihood": value}) if as_json else f"{value:.4f}")
