"""Texts in many languages: segmenters, lemmas, and language="auto"."""

import json
import sys
import threading

import polars as pl
import pytest

import bittern
from bittern import BTM, Corpus, read
from bittern.analysis.clustering import cluster_scores
from bittern.corpus import read_batches
from bittern.errors import InputError
from bittern.text import TextOptions, stop_word_languages, stop_word_list
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
