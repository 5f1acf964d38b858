"""The option --cluster."""

import numpy as np

from bittern import BTM, load, read


def test_fit_on_a_cluster_saves_the_same_model(folder, call):
    options = ("answers.csv", "--text", "answer", "-k", "4", "--seed", "1", "--out", "m", "--quiet")
    code, out, err = call("fit", *options, "--cluster", "local:1")
    assert (code, err) == (0, "")
    assert "topic0word" in out
    expected = BTM(4, random_state=1).fit(read("answers.csv", text="answer", stop_words="english"))
    np.testing.assert_array_equal(load("m").phi_, expected.phi_)
    assert not (folder / "m.checkpoint").exists()


def test_errors_are_one_line(folder, call):
    wrong = {
        ("--cluster", "spark"): 'unknown cluster "spark"; use local:4',
        ("--cluster", "local:1", "--algorithm", "gibbs"): "cannot be trained in parts",
        ("--cluster", "local:1", "--resume"): "no checkpoint to resume from",
        ("--resume",): "--resume continues a fit on a cluster; give --cluster",
    }
    for options, message in wrong.items():
        code, _, err = call("fit", "answers.csv", "--text", "answer", "--out", "m", *options)
        assert code == 2
        assert message in err
        assert len(err.strip().splitlines()) == 1
    code, _, err = call(
        "fit", "answers.csv", "--text", "typo", "--out", "m", "--cluster", "local:1"
    )
    assert code == 2
    assert 'column "typo" not found' in err
    code, _, _ = call(
        "fit", "answers.csv", "--text", "answer", "--out", "m", "-q", "--cluster", "local:1"
    )
    assert code == 0  # the failed attempt left nothing in the way
