import subprocess
import sys

import numpy as np
import pytest

from bittern import BTM, Corpus
from bittern.algorithms import ALGORITHMS, OnlineBTM
from bittern.biterms import Biterms
from bittern.errors import InputError
from bittern.fitted import FitSettings
from bittern.training import check_training, fit_topics, update_topics
from known import blocks

TEXTS, _ = blocks()
CORPUS = Corpus.from_texts(TEXTS)
SETTINGS = FitSettings(n_topics=4, random_state=0)


def test_training_gives_the_topics_of_the_estimator():
    fitted = fit_topics(CORPUS, check_training(SETTINGS))
    assert fitted.phi.tobytes() == BTM(4, random_state=0).fit(CORPUS).phi_.tobytes()
    assert fitted.settings == SETTINGS


def test_updates_add_words_and_leave_the_topics_before_as_they_were():
    training = check_training(SETTINGS)
    first = update_topics(None, CORPUS, training)
    before = first.phi.copy()
    more = Corpus.from_texts(["brandnew topic0word1 topic0word2"] * 5)
    second = update_topics(first, more, training)
    assert second.vocabulary == [*first.vocabulary, "brandnew"]
    np.testing.assert_array_equal(first.phi, before)
    again = update_topics(first, more, training)  # the generator of the first one is not used up
    assert again.phi.tobytes() == second.phi.tobytes()


def test_an_algorithm_that_needs_all_data_cannot_be_updated():
    with pytest.raises(InputError, match='algorithm "gibbs" needs all data at once; use fit, or'):
        update_topics(None, CORPUS, check_training(SETTINGS, "gibbs"))


def test_biterms_need_no_corpus():
    biterms = Biterms.from_words(["red", "late"], ["apple", "train"], weight=[30, 30])
    fitted = fit_topics(biterms, check_training(FitSettings(2, random_state=0)))
    assert fitted.text_options is None
    assert sorted(map(sorted, fitted.top_words(2))) == [["apple", "red"], ["late", "train"]]


def test_training_does_not_need_scikit_learn():
    """Importing it would take longer than fitting a small file."""
    program = "import bittern.training, bittern.corpus, sys; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"


def copied(texts, n=40):
    """Texts of which the first one was copied many times."""
    return [*texts, *[texts[0]] * n]


def test_texts_that_count_once_are_trained_on_once():
    once = check_training(SETTINGS._replace(duplicates="once"))
    distinct = CORPUS.drop_duplicates()
    fitted = fit_topics(Corpus.from_texts(copied(TEXTS), vocabulary=CORPUS.vocabulary), once)
    expected = fit_topics(distinct, check_training(SETTINGS))
    assert fitted.phi.tobytes() == expected.phi.tobytes()
    assert fitted.size == expected.size
    assert fitted.settings.duplicates == "once"


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, OnlineBTM(slices=3)])
def test_every_algorithm_can_count_texts_once(algorithm):
    once = check_training(SETTINGS._replace(duplicates="once"), algorithm)
    distinct = fit_topics(CORPUS.drop_duplicates(), check_training(SETTINGS, algorithm))
    fitted = fit_topics(Corpus.from_texts(copied(TEXTS), vocabulary=CORPUS.vocabulary), once)
    assert fitted.theta.tobytes() == distinct.theta.tobytes()


def test_all_copies_get_a_row():
    texts = copied(TEXTS)
    model = BTM(4, random_state=0, duplicates="once").fit(texts)
    assert model.transform(texts).shape == (len(texts), 4)
    assert model.document_info(texts)["topic"].null_count() == 0


def test_updates_count_each_text_once():
    once = check_training(SETTINGS._replace(duplicates="once"))
    first = update_topics(None, Corpus.from_texts(copied(TEXTS)), once)
    assert first.size.n_biterms == fit_topics(CORPUS, once).size.n_biterms
    more = update_topics(first, Corpus.from_texts([TEXTS[0]] * 10), once)
    one = update_topics(first, Corpus.from_texts([TEXTS[0]]), once)
    assert more.size == one.size


def test_only_texts_can_count_once():
    once = check_training(SETTINGS._replace(duplicates="once"))
    biterms = Biterms.from_words(["a", "c"], ["b", "d"])
    with pytest.raises(InputError, match='duplicates="once" needs texts'):
        fit_topics(biterms, once)
    with pytest.raises(InputError, match='duplicates must be "keep" or "once", not \'twice\''):
        check_training(SETTINGS._replace(duplicates="twice"))
