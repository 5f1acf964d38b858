from typing import Annotated, Any

import typer

from bittern.cli.checks import EXPLANATIONS, check_choice, check_model
from bittern.cli.input import load_model
from bittern.cli.options import AsJson, ModelPath, ModelTokenizer
from bittern.cli.output import print_json
from bittern.cli.panels import Panel

PANEL = Panel.APPLY
EXAMPLE = 'bittern explain answers.model "the train was late again"'


def explain(
    model: ModelPath,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Text to explain.")],
    topic: Annotated[
        int | None,
        typer.Option(min=0, help="Explain this topic instead of the most probable one."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="BASIS",
            help="What the topics of the text are inferred from: informative, words or biterms.",
        ),
    ] = "informative",
    tokenizer: ModelTokenizer = None,
    as_json: AsJson = False,
) -> None:
    """Show which words speak for the topic of a text.

    For each word, prints its part in the topic's share of the text, and the probability (p) of the
    topic given this word alone.
    """
    check_choice("--by", by, EXPLANATIONS)
    check_model(model)
    from bittern.analysis.documents import document_table, infer_topics
    from bittern.analysis.explanation import explain as explain_text
    from bittern.fitted import check_topics, encode_documents

    fitted = load_model(model, quiet=False, tokenizer=tokenizer)
    if topic is not None:
        check_topics([topic], fitted.n_topics)
    basis: Any = by  # checked by infer_topics
    corpus = encode_documents(fitted, [text])
    shares = infer_topics(fitted, corpus, basis)
    document = document_table(fitted, corpus, shares).row(0, named=True)
    topic = int(shares.argmax()) if topic is None else topic
    table = explain_text(fitted, corpus, topic, basis)
    if as_json:
        parts = "biterms" if by == "biterms" else "words"
        print_json({"document": document, parts: table.to_dicts()})
        return
    if not corpus.has_words[0]:
        print("no topic: the model knows no word of this text")
        return
    print(f"topic {topic} ({shares[0, topic]:.1%}): {fitted.topic_names[topic]}")
    if table.is_empty() and by == "biterms":
        print("no biterms: the model knows fewer than two distinct words of this text")
    for row in table.to_dicts():
        part = f"{row['first']} + {row['second']}" if by == "biterms" else row["word"]
        print(f"{row['share']:>6.1%}  {part}  (p = {row['probability']:.2f})")
