"""The parts of a study; test_runs.py runs whole studies."""

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student_t

import reference
from bittern.algorithms import SCVB0, SDM, OnlineBTM, Prior, TopicCounts, Trainer
from bittern.biterms import extract_biterms, time_slices
from bittern.corpus.synthetic import synthetic_corpus
from bittern.errors import InputError
from bittern.study import measures, study
from bittern.study.claims import Claim, verdict_on_intervals
from bittern.study.costs import bytes_per_biterm, drop_unused_words, measure_costs
from bittern.study.folder import Folder
from bittern.study.plan import Run, plan_points, plan_runs
from bittern.study.protocol import (
    ADAPTIVE,
    COMPARED_ALGORITHMS,
    DEFAULT,
    FIXED,
    ORDERS,
    QUICK,
    Protocol,
)
from bittern.study.repeat import Repeat, biterm_documents
from bittern.study.results import (
    paired_differences,
    paired_interval,
    paired_text_differences,
)
from bittern.study.underflow import steps_until, trace_underflow

PRIOR = Prior(0.5, 0.01)
CORPUS = synthetic_corpus(800, 5, 60, seed=1)
BITERMS = extract_biterms(CORPUS, None)


def pairs(biterms):
    return list(zip(biterms.first.tolist(), biterms.second.tolist(), strict=True))


def learned(algorithm=SDM.paper(), n_topics=4):  # noqa: B008
    trainer = Trainer(algorithm, n_topics, PRIOR, np.random.default_rng(0))
    return trainer.fit(time_slices(BITERMS, algorithm.slices)).state


def test_leave_one_out_matches_the_reference():
    topics = SDM.paper().topics(learned(), PRIOR)
    some = BITERMS[:300]
    expected = reference.leave_one_out(pairs(some), topics.biterms, topics.words, *PRIOR[:2])
    assert measures.leave_one_out(topics, some, PRIOR) == pytest.approx(expected, rel=1e-6)


def test_leave_one_out_of_zero_counts_is_finite():
    nothing = TopicCounts(np.zeros(3), np.zeros((60, 3), np.float32))
    assert np.isfinite(measures.leave_one_out(nothing, BITERMS[:10], PRIOR))


def test_residual_matches_the_reference():
    state, some = learned(), BITERMS[:500]
    b = state.mass[:, np.newaxis] * state.rows.astype(float) + PRIOR.word
    expected = reference.sdm_residual(b, pairs(some), *PRIOR[:2])
    assert measures.residual(state, some, PRIOR) == pytest.approx(expected, rel=1e-3)


def test_sdm_preserves_word_counts_and_scvb0_does_not():
    exact, crude = (
        measures.count_error(algorithm.topics(learned(algorithm), PRIOR), BITERMS)
        for algorithm in (SDM.paper(), SCVB0())
    )
    assert exact < 1e-5
    assert crude > 0.01


def test_run_names_identify_runs():
    names, distinct = {}, plan_runs(Protocol(), 0, 100_000)
    for point in plan_points(Protocol(), 0, 100_000):
        names.setdefault(point.run.name, set()).add((point.run.algorithm, point.run.order))
    assert all(len(same) == 1 for same in names.values())
    assert len(names) == len(distinct) < len(list(plan_points(Protocol(), 0, 100_000)))
    assert not any(" " in name or "/" in name for name in names)


def test_expensive_references_run_once_and_many_epochs_are_left_out():
    once = [
        p
        for r in range(2)
        for p in plan_points(Protocol(), r, 10**8)
        if p.experiment == "reference"
    ]
    assert [(p.label, p.run.n_topics, p.run.repeat) for p in once] == [
        ("Gibbs", 100, 0),
        ("CVB0", 100, 0),
    ]
    epochs = [p.setting for p in plan_points(Protocol(), 0, 10**8) if p.experiment == "epochs"]
    assert set(epochs) == {"1", "2"}
    beyond_side_repeats = plan_points(Protocol(), 9, 10**5)
    assert {p.experiment for p in beyond_side_repeats} == {"pass"}


@pytest.fixture(scope="module")
def repeat():
    return Repeat(QUICK, CORPUS, BITERMS, 0)


def test_a_watched_run_gives_the_same_scores(repeat, monkeypatch):
    run, updates = Run(SDM.paper(), QUICK.focus, 0), []
    unwatched = repeat.execute(run, updates.append)
    score, calls = repeat.score, []

    def slow_score(*arguments):
        calls.append(time.sleep(0.05))
        return score(*arguments)

    monkeypatch.setattr(repeat, "score", slow_score)
    start = time.perf_counter()
    watched = repeat.execute(replace(run, watched=True), updates.append)
    elapsed = time.perf_counter() - start
    curve = watched["curve"]
    assert watched["held_out"] == unwatched["held_out"]
    assert watched["leave_one_out"] == unwatched["leave_one_out"]
    assert watched["residual"] == unwatched["residual"]
    assert unwatched["curve"] == []
    assert len(curve) == len(calls) - 1 > 3
    shares, seconds = ([point[name] for point in curve] for name in ("share", "seconds"))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert seconds == sorted(seconds)
    assert seconds[0] > 0
    assert all(point["running"] < 0 for point in curve)
    assert elapsed - watched["seconds"] > 0.05 * len(calls) - 1e-3  # scoring is not timed
    assert sum(updates) == 2 * len(repeat.train)


def test_curves_of_sliced_algorithms_have_a_point_per_slice():
    biterms = BITERMS[: len(BITERMS) // 20 * 20]  # 80% of them in four equal slices
    updates = []
    run = Run(OnlineBTM(sweeps=3, slices=4), 4, 0, watched=True)
    curve = Repeat(QUICK, CORPUS, biterms, 0).execute(run, updates.append)["curve"]
    assert [point["share"] for point in curve] == [0.25, 0.5, 0.75, 1]
    assert sum(updates) == 3 * len(biterms) * 4 // 5


def test_split_is_random_with_a_fifth_held_out(repeat):
    assert len(repeat.test) == round(len(BITERMS) / 5)
    assert sorted(pairs(repeat.train) + pairs(repeat.test)) == sorted(pairs(BITERMS))
    other = Repeat(QUICK, CORPUS, BITERMS, 1)
    assert pairs(other.test) != pairs(repeat.test)


def test_biterm_documents():
    expected = [
        d
        for d in range(len(CORPUS))
        for _ in reference.pairs([CORPUS.tokens[slice(*CORPUS.indptr[d : d + 2])]], 99, False)
    ]
    assert biterm_documents(CORPUS, None, len(BITERMS)).tolist() == expected


def test_orders_contain_the_same_biterms(repeat):
    by_document, in_file = (repeat.ordered(order) for order in ORDERS[1:])
    assert sorted(pairs(by_document)) == sorted(pairs(in_file)) == sorted(pairs(repeat.train))
    rest = iter(pairs(BITERMS))
    assert all(pair in rest for pair in pairs(in_file))  # in the order of the corpus
    assert pairs(by_document) != pairs(in_file)


def test_shuffled_biterms_train_best(repeat):
    scores = [
        repeat.execute(Run(SDM.paper(), 20, 0, order), lambda updates: None)["held_out"]
        for order in ORDERS
    ]
    assert scores[0] == max(scores)


def test_texts_are_held_out_as_a_whole(repeat):
    updates = []
    runs = {
        (point.label, point.setting): repeat.execute(point.run, updates.append)
        for point in plan_points(QUICK, 0, len(repeat.train))
        if point.experiment == "texts" and point.label in ("SDM", "CVB0", DEFAULT)
    }
    assert list(runs) == [
        ("SDM", FIXED), ("SDM", ADAPTIVE), ("CVB0", FIXED), ("CVB0", ADAPTIVE),
        (DEFAULT, ADAPTIVE),
    ]  # fmt: skip
    scores = {key: result["held_out"] for key, result in runs.items()}
    assert scores["CVB0", ADAPTIVE] > scores["CVB0", FIXED]
    assert scores[DEFAULT, ADAPTIVE] > scores["SDM", FIXED]
    assert all(result["seconds"] > 0 for result in runs.values())
    assert len(updates) == 5


def test_batch_algorithms_that_take_long_are_left_out_on_texts():
    labels = {p.label for p in plan_points(Protocol(), 0, 10**8) if p.experiment == "texts"}
    assert labels == {*COMPARED_ALGORITHMS, DEFAULT}
    updates = [Run(SDM(), 20, 0, word_prior=ADAPTIVE).n_updates(n) for n in (100, 10**7, 10**9)]
    assert updates == [5_200, 5e7, 10**9]


def test_gains_on_texts_are_paired_by_repeat():
    scores = pl.DataFrame(
        {"experiment": "texts", "label": label, "setting": prior, "repeat": r, "held_out": r + gain}
        for label, prior, gain in (
            ("SDM", FIXED, 0.0),
            ("SDM", ADAPTIVE, 0.2),
            (DEFAULT, ADAPTIVE, 0.3),
        )
        for r in (1, 0, 2)
    )
    found = paired_text_differences(scores).select("of", "minus", "difference").rows()
    assert [row[:2] for row in found] == [("SDM", "SDM"), (DEFAULT, "SDM")]
    assert [row[2] for row in found] == pytest.approx([0.2, 0.3])


def test_paired_intervals_follow_students_t():
    rng = np.random.default_rng(0)
    mine, others = rng.normal(0.3, size=(2, 7))
    found = paired_interval(mine, others)
    difference = mine - others
    half = student_t.ppf(0.975, 6) * difference.std(ddof=1) / np.sqrt(7)
    interval = (difference.mean() - half, difference.mean() + half)
    assert (found["low"], found["high"]) == pytest.approx(interval)
    assert (found["difference"], found["sd"]) == (difference.mean(), difference.std(ddof=1))
    assert found["better"] == (mine > others).sum()


def test_the_interval_of_equal_differences_is_a_point():
    found = paired_interval(np.array([1.5, 2.5, 4.5]), np.array([1.0, 2.0, 4.0]))
    assert (found["low"], found["difference"], found["high"]) == (0.5, 0.5, 0.5)


def test_differences_are_paired_by_repeat():
    labels = ["SDM", "SDM with cool-down", "SCVB0", "iBTM", "oBTM"]
    scores = pl.DataFrame(
        {"experiment": "pass", "label": label, "topics": 20, "repeat": r, "held_out": r + i / 10}
        for i, label in enumerate(labels)
        for r in (2, 0, 1)
    )
    found = paired_differences(scores).row(0, named=True)
    assert (found["of"], found["minus"]) == ("SDM with cool-down", "SDM")
    assert found["difference"] == pytest.approx(0.1)
    assert found["sd"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        ([0.1, 0.2], [0.3, 0.4], "holds"),
        ([-0.1, -0.2], [-0.05, 0.1], "does not hold"),
        ([0.1, -0.2], [0.3, -0.1], "holds only at K=20"),
        ([-0.1, -0.1], [0.3, 0.1], "undecided"),
    ],
)
def test_verdict_follows_the_intervals(low, high, verdict):
    rows = pl.DataFrame({"topics": [20, 50], "low": low, "high": high})
    assert verdict_on_intervals(rows) == verdict


@pytest.mark.parametrize(
    ("verdict", "confirmed"),
    [
        ("holds", True),
        ("holds, after more than one pass", True),
        ("holds only at K=20", False),
        ("does not hold: the rows are swapped", False),
        ("undecided", False),
    ],
)
def test_partly_true_claims_are_not_confirmed(verdict, confirmed):
    assert Claim("Figure 3", "SDM is better.", verdict, "").is_confirmed == confirmed


def test_left_out_algorithms_have_no_differences():
    assert (
        verdict_on_intervals(pl.DataFrame(schema={"topics": int, "low": float, "high": float}))
        == "undecided"
    )
    scores = pl.DataFrame(
        {"experiment": "pass", "label": label, "topics": 20, "repeat": r, "held_out": value}
        for label, value in (
            ("SDM", -1.0),
            ("SDM with cool-down", -1.0),
            ("SCVB0", -2.0),
            ("iBTM", None),
            ("oBTM", -3.0),
        )
        for r in range(2)
    )
    assert "iBTM" not in paired_differences(scores)["minus"]


def test_only_ibtm_stores_all_biterms():
    table = pl.DataFrame(list(measure_costs(QUICK, BITERMS)))
    assert bytes_per_biterm(table, "SDM") == bytes_per_biterm(table, "SCVB0") == 0
    assert bytes_per_biterm(table, "iBTM") == pytest.approx(12, rel=0.01)
    assert bytes_per_biterm(table, "oBTM") == 0
    assert bytes_per_biterm(table, "oBTM", of_slice=True) == pytest.approx(12, rel=0.01)
    assert (table["measured"] > 0).all()


def test_drop_unused_words_keeps_the_words_of_biterms():
    few = BITERMS[5:8]
    small = drop_unused_words(few)
    words = [[few.vocabulary[v], few.vocabulary[w]] for v, w in pairs(few)]
    assert [[small.vocabulary[v], small.vocabulary[w]] for v, w in pairs(small)] == words
    assert len(small.vocabulary) <= 6


def test_scvb0_breaks_down_without_a_guard():
    found = pl.DataFrame(
        list(trace_underflow(BITERMS, BITERMS[:1000], PRIOR, seed=0)), orient="row"
    )
    guarded, unguarded = (
        found.filter(pl.col("algorithm") == name) for name in ("guarded", "unguarded")
    )
    assert guarded["held_out"].null_count() == 0
    assert unguarded["held_out"].null_count() == 2
    end = unguarded.filter(pl.col("held_out").is_null())
    assert 1e6 < end["steps"][0] < 1e7
    expected = steps_until(SCVB0(), 10.0 ** end["log_scale"][0])
    assert end["steps"][0] == pytest.approx(expected, rel=0.01)
    assert steps_until(SCVB0(kappa=1.0), 1e-38) > 1e30


def test_a_folder_belongs_to_one_study(tmp_path):
    Folder(tmp_path / "new", {"seed": 0}).save("a", {"held_out": -1.5})
    again = Folder(tmp_path / "new", {"seed": 0})
    assert again.has("a")
    assert again.load("a") == {"held_out": -1.5}
    with pytest.raises(InputError, match="seed is 0, not 1"):
        Folder(tmp_path / "new", {"seed": 1})
    with pytest.raises(InputError, match="is not empty"):
        Folder(tmp_path, {"seed": 0})
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file"):
        Folder(tmp_path / "file", {"seed": 0})


def test_a_study_killed_while_it_was_created_can_be_repeated(tmp_path):
    (tmp_path / ".basis.json.saving-1").write_text('{"se')
    Folder(tmp_path, {"seed": 0})
    assert (tmp_path / "basis.json").exists()


@pytest.mark.parametrize("text", ["", '{"se', "[1]", "[" * 100_000, "\0"])
def test_damaged_files_of_a_study_are_named_with_a_remedy(tmp_path, text):
    folder = Folder(tmp_path, {"seed": 0})
    folder.write_text("runs/a.json", text)
    if text != "[1]":
        with pytest.raises(InputError, match=r"a.json is damaged; remove it to repeat this run"):
            folder.load("a")
    folder.write_text("basis.json", text)
    with pytest.raises(InputError, match=r"basis.json is damaged; choose another directory"):
        Folder(tmp_path, {"seed": 0})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topics": (1, 100)}, "the number of topics"),
        ({"topics": (20, 100, 20)}, "topics must be distinct, not 20, 100, 20"),
        ({"focus": 30}, "focus must be one of the topics .* not 30"),
        ({"repeats": 1}, "repeats"),
        ({"side_repeats": 1}, "side_repeats"),
        ({"test_size": 1.5}, "test_size"),
        ({"test_texts": 0}, "test_texts"),
        ({"seed": -1}, "seed"),
    ],
)
def test_protocol_rejects_invalid_settings(wrong, message):
    with pytest.raises(InputError, match=message):
        Protocol(**wrong)


def test_study_rejects_word_counts_and_small_corpora(tmp_path):
    counts = replace(CORPUS, counts=np.ones(len(CORPUS.tokens), np.float32))
    with pytest.raises(InputError, match="word order, not word counts"):
        study(counts, tmp_path / "study")
    with pytest.raises(InputError, match="a study needs at least 1,000"):
        study(CORPUS[:5], tmp_path / "study")
    assert not (tmp_path / "study").exists()
