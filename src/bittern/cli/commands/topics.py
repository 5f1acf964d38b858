from bittern.cli.options import AsJson, ModelPath, Relevance, Words
from bittern.cli.output import print_topics
from bittern.cli.panels import Panel

PANEL = Panel.LOOK
EXAMPLE = "bittern topics answers.model --words 15"


def topics(
    model: ModelPath, words: Words = 10, relevance: Relevance = 1.0, as_json: AsJson = False
) -> None:
    """Print the topics of a model, the largest first."""
    from bittern import load

    print_topics(load(model), words, relevance, as_json)
