"""Wild arguments from Python: they work, or InputError tells in one line what is wrong."""

from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_array, csr_array

import bittern
from bittern import BTM, Corpus
from bittern.errors import InputError

TEXTS = ["red apple pie", "apple pie recipe", "fast train", "late fast train"] * 5
TIMES = ["2024-01-01", "2024-03-01"] * 10
MODEL = BTM(2, random_state=0).fit(TEXTS)
CORPUS = Corpus.from_texts(TEXTS)
FILE = "answers.csv"


class Sized:
    """Something with a length and no items."""

    def __len__(self):
        return 3


WILD = {
    "none": None,
    "integer": 3,
    "float": 1.5,
    "nan": float("nan"),
    "string": "red apple",
    "bytes": b"red apple",
    "dict": dict(enumerate(TEXTS)),
    "set": set(TEXTS),
    "empty": [],
    "bytes in a list": [b"red apple"] * 20,
    "numbers and texts": [3, "red apple"] * 10,
    "numbers": [1, 2, 3],
    "surrogates": ["red \ud800 apple"] * 20,
    "lists": [["red", "apple"], ["pie"]],
    "dicts": [{"a": 1}],
    "object": object(),
    "type": int,
    "sized": Sized(),
    "strings": np.array(TEXTS),
    "byte strings": np.array([b"red apple"]),
    "scalar array": np.array(3),
    "three dimensions": np.zeros((2, 2, 2)),
    "records": np.zeros(3, dtype=[("a", int)]),
    "complex": np.ones((3, 3)) * 1j,
    "mask": np.ones((4, 3), bool),
    "pandas series": pd.Series(TEXTS, index=range(100, 120)),
    "pandas categories": pd.Series(TEXTS, dtype="category"),
    "pandas table": pd.DataFrame({"text": TEXTS}),
    "duplicate columns": pd.DataFrame(np.ones((20, 2)), columns=["a", "a"]),
    "duplicate texts": pd.DataFrame([["a b", "c d"]] * 3, columns=["t", "t"]),
    "polars series": pl.Series(TEXTS),
    "polars lists": pl.Series([["red", "apple"]]),
    "polars structs": pl.Series([{"a": 1}]),
    "polars bytes": pl.Series([b"\xff"]),
    "polars objects": pl.Series([object()], dtype=pl.Object),
    "polars table": pl.DataFrame({"text": TEXTS}),
    "polars query": pl.LazyFrame({"text": TEXTS}),
    "sparse": csr_array(np.ones((4, 5))),
    "sparse vector": coo_array(np.ones(5)),
    "range": range(5),
    "path": Path("red apple"),
    "large": 10**5000,
}

DATA = {
    name: (lambda value, name=name: getattr(deepcopy(MODEL), name)(value))
    for name in (
        *("fit", "partial_fit", "transform", "document_info", "representative", "explain"),
        *("score", "score_documents", "coherence", "quality", "timeline", "report"),
    )
}
ARGUMENTS = {
    "word_shifts X": lambda value: MODEL.word_shifts(value, TIMES),
    "word_shifts times": lambda value: MODEL.word_shifts(TEXTS, value),
    "word_shifts n": lambda value: MODEL.word_shifts(TEXTS, TIMES, n=value),
    "document_info by": lambda value: MODEL.document_info(TEXTS, value),
    "representative n": lambda value: MODEL.representative(TEXTS, value),
    "explain topic": lambda value: MODEL.explain("red apple", value),
    "explain by": lambda value: MODEL.explain("red apple", 0, value),
    "documents_with first": lambda value: MODEL.documents_with(TEXTS, value, "pie"),
    "coherence measure": lambda value: MODEL.coherence(TEXTS, value),
    "coherence n": lambda value: MODEL.coherence(TEXTS, n=value),
    "quality labels": lambda value: MODEL.quality(TEXTS, value),
    "quality n": lambda value: MODEL.quality(TEXTS, n=value),
    "timeline times": lambda value: MODEL.timeline(TEXTS, value),
    "timeline period": lambda value: MODEL.timeline(TEXTS, TIMES, value),
    "slice_topics": MODEL.slice_topics,
    "report times": lambda value: MODEL.report(TEXTS, value),
    "report labels": lambda value: MODEL.report(TEXTS, labels=value),
    "report title": lambda value: MODEL.report(TEXTS, title=value),
    "top_words n": MODEL.top_words,
    "top_words relevance": lambda value: MODEL.top_words(3, value),
    "name_topics": lambda value: deepcopy(MODEL).name_topics(value),
    "merge_topics": lambda value: deepcopy(MODEL).merge_topics(value),
    "remove_topics": lambda value: deepcopy(MODEL).remove_topics(value),
    "vocabulary_": lambda value: setattr(deepcopy(MODEL), "vocabulary_", value),
    "save": MODEL.save,
    "load": bittern.load,
    "read": bittern.read,
    "read text": lambda value: bittern.read(FILE, text=value),
    "read time": lambda value: bittern.read(FILE, time=value),
    "read label": lambda value: bittern.read(FILE, label=value),
    "read format": lambda value: bittern.read(FILE, format=value),
    "read separator": lambda value: bittern.read(FILE, separator=value),
    "read encoding": lambda value: bittern.read(FILE, encoding=value),
    "read sheet": lambda value: bittern.read(FILE, sheet=value),
    "read vocabulary": lambda value: bittern.read(FILE, vocabulary=value),
    "from_texts": Corpus.from_texts,
    "from_texts times": lambda value: Corpus.from_texts(TEXTS, times=value),
    "from_texts labels": lambda value: Corpus.from_texts(TEXTS, labels=value),
    "from_texts vocabulary": lambda value: Corpus.from_texts(TEXTS, vocabulary=value),
    "stop_words": lambda value: Corpus.from_texts(TEXTS, stop_words=value),
    "ngrams": lambda value: Corpus.from_texts(["red apple pie"], ngrams=value),
    "language": lambda value: Corpus.from_texts(TEXTS, language=value),
    "tokenizer": lambda value: Corpus.from_texts(TEXTS, tokenizer=value),
    "words of a tokenizer": lambda value: Corpus.from_texts(TEXTS, tokenizer=lambda _: value),
    "min_df": lambda value: Corpus.from_texts(TEXTS, min_df=value),
    "max_df": lambda value: Corpus.from_texts(TEXTS, max_df=value),
    "max_features": lambda value: Corpus.from_texts(TEXTS, max_features=value),
    "from_tokens": Corpus.from_tokens,
    "from_tokens words": lambda value: Corpus.from_tokens([value, ["red", "apple"]]),
    "from_tokens vocabulary": lambda value: Corpus.from_tokens([["red"]], vocabulary=value),
    "from_counts": Corpus.from_counts,
    "from_counts vocabulary": lambda value: Corpus.from_counts(np.ones((4, 5)), value),
    "from_indices vocabulary": lambda value: Corpus.from_indices(value, [1], [0]),
    "from_indices lengths": lambda value: Corpus.from_indices(["a"], value, [0]),
    "from_indices tokens": lambda value: Corpus.from_indices(["a"], [1], value),
    "with_vocabulary": CORPUS.with_vocabulary,
    "with_times": CORPUS.with_times,
    "with_labels": CORPUS.with_labels,
    "documents": CORPUS.__getitem__,
    "split": lambda value: CORPUS.split(value, np.random.default_rng(0)),
}
PARAMETERS = {
    name: (lambda value, name=name: BTM(**{"n_topics": 2, name: value}).fit(TEXTS))
    for name in BTM().get_params(deep=False)
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"text": TEXTS, "id": range(20)}).write_csv(FILE)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*DATA, *ARGUMENTS, *PARAMETERS])
def test_wild_arguments_work_or_are_refused_in_one_line(name):
    call = (DATA | ARGUMENTS | PARAMETERS)[name]
    for kind, value in WILD.items():
        try:
            call(value)
        except (InputError, FileNotFoundError) as error:
            message = str(error)
            assert "\n" not in message, kind
            assert len(message) < 500, kind
        except BaseException as error:
            error.add_note(f"{name} with {kind}")
            raise


@pytest.mark.parametrize("name", [name for name in DATA if name not in ("explain", "timeline")])
def test_texts_may_come_from_an_iterator(name):
    for texts in (iter(TEXTS), (text for text in TEXTS), dict(enumerate(TEXTS)).values()):
        DATA[name](texts)


def test_an_iterator_gives_the_same_as_a_list():
    expected = BTM(2, random_state=0).fit(TEXTS)
    model = BTM(2, random_state=0).fit(text for text in TEXTS)
    np.testing.assert_array_equal(model.phi_, expected.phi_)
    np.testing.assert_array_equal(model.transform(iter(TEXTS)), expected.transform(TEXTS))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: BTM(2, n_jobs="2").fit(TEXTS),
            "n_jobs must be .* up to 1024, or None, not '2'",
        ),
        (lambda: MODEL.transform({"a": "b"}), "data must be a list of texts, .* not {'a': 'b'}"),
        (lambda: MODEL.fit({"red apple"}), "data must be a list of texts"),
        (lambda: MODEL.transform(["red apple", 3]), "text 1 is not a string but int: 3"),
        (lambda: MODEL.transform([b"red"]), "text 0 is not a string but bytes"),
        (
            lambda: Corpus.from_texts(["a b"], tokenizer=lambda text: [1, 2]),
            r"the tokenizer must return a list of strings; on row 0, \"a b\", it returned \[1, 2\]",
        ),
        (
            lambda: Corpus.from_texts(["a b"], tokenizer=str),
            "the tokenizer must return a list of strings; on row 0, .* it returned 'a b'",
        ),
        (
            lambda: BTM(2).fit(WILD["duplicate columns"]),
            '2 columns are called "a"; give them different names',
        ),
        (
            lambda: Corpus.from_texts(["a b"], labels=["\ud800"]),
            "a label is not valid Unicode",
        ),
        (
            lambda: Corpus.from_texts(["a b"], vocabulary={"a", "b"}),
            "vocabulary must be a list or another sequence",
        ),
    ],
)
def test_messages_name_the_problem(call, message):
    with pytest.raises(InputError, match=message):
        call()
