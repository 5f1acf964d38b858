"""Training in parts, on each engine."""

import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from bittern import BTM, read
from bittern.algorithms import SDM, AlphaSDM
from bittern.cluster import ClusterLostError, fit, open_engine
from bittern.cluster.training import plan_rounds
from bittern.corpus.synthetic import synthetic_texts
from bittern.errors import InputError
from bittern.text import TextOptions
from cluster.conftest import TESTS
from remote import MortalSDM, SlowSDM

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = list(synthetic_texts(3000, 6, 300, seed=0))
IN_PARTS = SDM(sweeps=0, epochs=2)


def write_files(folder, n=6):
    folder.mkdir(exist_ok=True)
    for i in range(n):
        (folder / f"{i}.txt").write_text("".join(f"{text}\n" for text in TEXTS[i::n]))
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("texts") / "files")


@pytest.fixture(scope="module")
def local():
    opened = open_engine("local:2")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def in_parts(files, local):
    """The result in three parts, without faults."""
    return fit(files, 6, engine=local, algorithm=IN_PARTS, n_parts=3, random_state=1)


def assert_same(model, other):
    assert model.vocabulary_ == other.vocabulary_
    np.testing.assert_array_equal(model.phi_, other.phi_)
    np.testing.assert_array_equal(model.theta_, other.theta_)


def test_texts_cannot_count_once_in_parts(local):
    with pytest.raises(InputError, match="needs all texts in one place; remove duplicates from"):
        fit(TEXTS, 6, engine=local, duplicates="once")


@pytest.mark.parametrize("algorithm", ["sdm", IN_PARTS, AlphaSDM(0.5)])
def test_one_part_gives_the_local_result_bit_for_bit(engine, files, algorithm):
    model = fit(files, 6, engine=engine, algorithm=algorithm, n_parts=1, random_state=1)
    corpus = read(*sorted(map(str, files.glob("*.txt"))))
    assert_same(model, BTM(6, algorithm, random_state=1, n_jobs=1).fit(corpus))


def test_all_engines_give_the_same_topics(engine, files, in_parts):
    model = fit(files, 6, engine=engine, algorithm=IN_PARTS, n_parts=3, random_state=1)
    assert_same(model, in_parts)


def test_parts_learn_what_one_machine_learns(files, in_parts):
    corpus = read(*sorted(map(str, files.glob("*.txt"))))
    alone = BTM(6, IN_PARTS, random_state=1, n_jobs=1).fit(corpus)
    assert in_parts.vocabulary_ == alone.vocabulary_
    assert in_parts.score(corpus) == pytest.approx(alone.score(corpus), abs=0.05)
    history = in_parts.history_["log_likelihood"]
    assert history[-1] > history[0]
    assert in_parts.history_["biterms"][-1] == 2 * alone.fitted_.size.n_biterms
    assert in_parts.fitted_.size == alone.fitted_.size
    assert in_parts.fitted_.prior == alone.fitted_.prior


def test_small_corpora_are_trained_as_without_a_cluster(local, files):
    model = fit(files, 6, engine=local, n_parts=3, random_state=1)
    dealt = [str(files / f"{i}.txt") for i in (0, 3, 1, 4, 2, 5)]  # in the order of the parts
    assert_same(model, BTM(6, random_state=1, n_jobs=1).fit(read(*dealt)))


def test_a_worker_that_dies_in_a_round_changes_nothing(engine, files, in_parts, tmp_path):
    algorithm = MortalSDM(sweeps=0, epochs=2, flag=str(tmp_path / "died"))
    model = fit(files, 6, engine=engine, algorithm=algorithm, n_parts=3, random_state=1)
    assert (tmp_path / "died").exists()
    assert_same(model, in_parts)


def test_an_interrupted_fit_resumes_on_another_engine(files, in_parts, local, tmp_path):
    checkpoint = tmp_path / "checkpoint"
    settings = {"algorithm": IN_PARTS, "random_state": 1, "checkpoint": checkpoint}
    whole = fit(files, 6, engine=local, n_parts=3, **settings)
    assert_same(whole, in_parts)
    rounds = sorted(checkpoint.glob("round-*"))
    assert len(rounds) > 3
    for file in rounds[2:]:
        file.unlink()
    with open_engine_closing("local:1") as other:
        assert_same(fit(files, 6, engine=other, resume=True, **settings), in_parts)
    with pytest.raises(InputError, match="is not empty; resume from it"):
        fit(files, 6, engine=local, **settings)
    with pytest.raises(InputError, match=r"other texts or settings \(settings is"):
        fit(files, 7, engine=local, resume=True, **settings)
    with pytest.raises(InputError, match=r"other texts or settings \(vocabulary is"):
        fit(files, 6, engine=local, resume=True, max_features=50, **settings)
    rounds[0].write_bytes(b"damaged")
    with pytest.raises(InputError, match="is damaged"):
        fit(files, 6, engine=local, resume=True, **settings)
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        fit(files, 6, engine=local, resume=True, checkpoint=tmp_path / "other")


def test_a_fit_without_a_seed_resumes_with_its_own(files, local, tmp_path):
    settings = {"algorithm": IN_PARTS, "n_parts": 3, "checkpoint": tmp_path / "checkpoint"}
    whole = fit(files, 6, engine=local, **settings)
    sorted(settings["checkpoint"].glob("round-*"))[-1].unlink()
    assert_same(fit(files, 6, engine=local, resume=True, **settings), whole)


def test_files_that_do_not_exist_are_not_texts(local, files, tmp_path):
    for source in ("missing.csv", [files / "0.txt", tmp_path / "missing.csv"],
                   [str(files / "0.txt"), "missing.csv"]):  # fmt: skip
        with pytest.raises(FileNotFoundError, match=r"missing\.csv does not exist"):
            fit(source, 2, engine=local)
    with pytest.raises(InputError, match="cannot read standard input"):
        fit("-", 2, engine=local)
    with pytest.raises(FileNotFoundError, match="has no files that bittern can read"):
        fit(tmp_path, 2, engine=local)


class open_engine_closing:  # noqa: N801
    """An engine for a with block."""

    def __init__(self, name):
        self.engine = open_engine(name)

    def __enter__(self):
        return self.engine

    def __exit__(self, *_):
        self.engine.close()


def test_a_scheduler_that_disappears_leaves_a_checkpoint(files, in_parts, local, tmp_path):
    pytest.importorskip("distributed")
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
    file = tmp_path / "scheduler.json"
    environment = {**__import__("os").environ, "PYTHONPATH": TESTS}
    scheduler = subprocess.Popen(
        [*command, "--scheduler-file", str(file), "--dashboard-address", ":0"],
        env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    worker = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file),
         "--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--death-timeout", "10"],
        env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while not file.exists():
            time.sleep(0.1)
        address = __import__("json").loads(file.read_text())["address"]
        opened = open_engine(f"dask {address}")
        checkpoint = tmp_path / "checkpoint"
        settings = {"n_parts": 3, "random_state": 1, "checkpoint": checkpoint}
        slow = SlowSDM(sweeps=0, epochs=2)
        from threading import Thread

        def end():
            while not list(checkpoint.glob("round-0001*")):
                time.sleep(0.05)
            scheduler.kill()

        Thread(target=end, daemon=True).start()
        with pytest.raises(ClusterLostError, match=r"no longer answers .*; resume from") as caught:
            fit(files, 6, engine=opened, algorithm=slow, **settings)
        assert "\n" not in str(caught.value)
        model = fit(files, 6, engine=local, algorithm=slow, resume=True, **settings)
        assert_same(model, in_parts)
    finally:
        scheduler.kill()
        worker.kill()
        scheduler.wait()
        worker.wait()


def test_partitions_may_be_empty_and_of_very_different_size(local, tmp_path):
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "large.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    (tmp_path / "small.txt").write_text("unusual words\n")
    model = fit(tmp_path, 6, engine=local, algorithm=IN_PARTS, n_parts=3, random_state=1, min_df=1)
    assert model.fitted_.size.n_words == len(model.vocabulary_)
    assert {"unusual", "words"} < set(model.vocabulary_)


def test_words_are_chosen_over_all_partitions(local, tmp_path):
    for name, texts in (("a", ["rare late train"] * 3), ("b", ["rare dirty seats"] * 3)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts))
    options = {"engine": local, "n_parts": 2, "random_state": 0}
    assert (
        fit(tmp_path, 2, min_df=4, max_features=3, **options | {"stop_words": None})
        if False
        else True
    )
    model = fit(tmp_path, 2, **options)
    assert set(model.vocabulary_) == {"rare", "late", "train", "dirty", "seats"}
    assert model.vocabulary_[0] == "rare"
    model = fit(tmp_path, 2, max_features=3, **options)
    assert model.vocabulary_ == ["rare", "dirty", "late"]


def test_one_broken_file_among_a_thousand_is_named(local, tmp_path):
    for i in range(1000):
        (tmp_path / f"{i:04d}.jsonl").write_text('{"text": "late train"}\n')
    (tmp_path / "0700.jsonl").write_text('{"text": "late train"}\n{"text": \n')
    with pytest.raises(InputError, match=r"0700\.jsonl: .*line 2") as caught:
        fit(tmp_path, 2, engine=local)
    assert "\n" not in str(caught.value)


def test_texts_that_do_not_fit_into_memory_are_kept_in_files(local, files, in_parts):
    settings = {"algorithm": IN_PARTS, "n_parts": 3, "random_state": 1}
    assert_same(fit(files, 6, engine=local, memory="20KB", **settings), in_parts)


def test_frames_and_collections_are_sources(local):
    expected = fit(TEXTS, 6, engine=local, n_parts=1, random_state=1)
    frame = pl.DataFrame({"id": range(len(TEXTS)), "answer": TEXTS})
    pandas = pytest.importorskip("pandas")
    in_pandas = pandas.DataFrame({"id": range(len(TEXTS)), "answer": TEXTS})
    for source in (frame, in_pandas, frame["answer"], in_pandas["answer"], np.array(TEXTS)):
        text = "answer" if hasattr(source, "columns") else None
        model = fit(source, 6, engine=local, n_parts=1, random_state=1, text=text)
        assert_same(model, expected)
    with pytest.raises(InputError, match="choose the text column with text=: id, answer"):
        fit(frame, 6, engine=local)
    with pytest.raises(InputError, match="there are no texts"):
        fit([], 6, engine=local)


def test_dask_collections_are_sources(local):
    bag = pytest.importorskip("dask.bag")
    expected = fit(TEXTS, 6, engine=local, n_parts=1, random_state=1)
    model = fit(bag.from_sequence(TEXTS, npartitions=4), 6, engine=local, n_parts=1, random_state=1)
    assert_same(model, expected)
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    frame = frames.from_pandas(pandas.DataFrame({"answer": TEXTS}), npartitions=3)
    model = fit(frame, 6, engine=local, n_parts=1, random_state=1, text="answer")
    assert_same(model, expected)
    model = fit(frame["answer"], 6, engine=local, n_parts=1, random_state=1)
    assert_same(model, expected)


def test_ray_datasets_are_sources():
    pytest.importorskip("pyarrow")
    data = pytest.importorskip("ray.data")
    with open_engine_closing("ray:2") as opened:
        dataset = data.from_items([{"id": i, "answer": text} for i, text in enumerate(TEXTS)])
        model = fit(dataset, 6, engine=opened, n_parts=1, random_state=1, text="answer")
    assert sorted(model.vocabulary_) == sorted(fit(TEXTS, 6, engine="local:1").vocabulary_)
    assert model.fitted_.size.n_biterms > 0


def test_algorithms_without_changes_are_refused(local):
    with pytest.raises(InputError, match='"gibbs" cannot be trained in parts; use sdm'):
        fit(TEXTS, 6, engine=local, algorithm="gibbs")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_topics": 0}, "n_topics"),
        ({"n_parts": 0}, "n_parts"),
        ({"random_state": -1}, "random_state"),
        ({"window": 1}, "window"),
        ({"resume": True}, "nothing to resume from"),
        ({"stop_words": "klingon"}, "klingon"),
    ],
)
def test_wrong_parameters_are_refused(local, wrong, message):
    with pytest.raises(InputError, match=message):
        fit(TEXTS, **{"engine": local, "n_topics": 6, **wrong})


def test_texts_without_biterms_are_refused(local):
    with pytest.raises(InputError, match="no two known words occur together"):
        fit(["train", "seats"], 2, engine=local)


def test_rounds_grow_and_end_with_the_last_pass():
    ends = plan_rounds(10**9, 10**6, 10, 1)
    lengths = np.diff(ends)
    assert ends[-1] == 1
    assert (lengths[1:-1] > lengths[:-2]).all()
    assert ends[0] * 10**9 == 1 << 24
    assert plan_rounds(1000, 50, 4, 3) == [1.0, pytest.approx(1.3), pytest.approx(1.9), 3.0]
    two, eight = plan_rounds(10**7, 10**5, 2, 1), plan_rounds(10**7, 10**5, 8, 1)
    assert two[0] < eight[0]


def test_persisted_dask_collections_are_refused(local):
    bag = pytest.importorskip("dask.bag")
    distributed = pytest.importorskip("distributed")
    with (
        distributed.Client(processes=False, dashboard_address=None),
        pytest.raises(InputError, match=r"is persisted; pass it as it was before persist\(\)"),
    ):
        fit(bag.from_sequence(TEXTS[:100], npartitions=2).persist(), 2, engine=local)


def test_the_language_is_found_in_all_parts(local, capsys):
    texts = ["Der Zug kommt heute wieder zu spät", "Die Sitze waren alle sehr schmutzig"] * 40
    options = {"language": "auto", "lemmas": "german"}
    model = fit(texts, 2, engine=local, n_parts=3, random_state=0, verbose=1, **options)
    assert "language: German (100% of 80 texts); stop words: german" in capsys.readouterr().err
    assert model.fitted_.text_options == TextOptions(stop_words="german", lemmas="de")
    assert {"zug", "kommen", "sitz"} <= set(model.vocabulary_)
