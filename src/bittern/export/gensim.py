"""Export to gensim's CoherenceModel."""

from importlib.util import find_spec
from typing import Any

from bittern._core.validation import check_integer
from bittern.analysis.documents import words_of
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.export.shared import Model
from bittern.fitted import as_fitted, encode_documents


def gensim_coherence(model: Model, X: Any, n: int = 10) -> dict[str, Any]:
    """Return the arguments of gensim's `CoherenceModel` for the n top words of each topic.

    With coherence="c_npmi", gensim gives the results of `model.coherence(X)` if no word occurs
    twice in a window; it also has measures that bittern does not have. A document of a count matrix
    is one window.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    X : list of str, Corpus or matrix
        Documents: texts, a corpus, or a matrix of word counts. A corpus may be a reference corpus;
        gensim ignores top words that it does not contain.
    n : int
        Number of top words per topic.

    Returns
    -------
    dict
        Keyword arguments for `gensim.models.CoherenceModel`.

    Raises
    ------
    InputError
        If gensim is not installed, or the texts contain fewer than two top words of a topic.

    Examples
    --------
    >>> import bittern
    >>> from bittern.export import gensim_coherence
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> gensim_coherence(model, texts, n=2)["topn"]  # doctest: +SKIP
    2
    """
    if find_spec("gensim") is None:
        raise InputError("this export needs gensim; run: pip install gensim")
    from gensim.corpora import Dictionary

    check_integer("n", n, 2)
    fitted = as_fitted(model)
    topics = fitted.top_words(n, relevance=1)
    corpus = X if isinstance(X, Corpus) else encode_documents(fitted, X)
    texts = [words for words in words_of(corpus) if words]  # gensim counts a window for no words
    dictionary = Dictionary(texts)
    for topic, top in enumerate(topics):
        if sum(word in dictionary.token2id for word in top) < 2:
            raise InputError(
                f"these texts contain fewer than two of the top words of topic {topic}; "
                "use more texts"
            )
    arguments = {"topics": topics, "texts": texts, "dictionary": dictionary, "topn": n}
    if corpus.counts is not None:
        arguments["window_size"] = max(map(len, texts))
    return arguments
