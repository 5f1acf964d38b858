"""The command that edits topics."""

import pytest

from bittern import load


def test_edit_merges_removes_and_names_topics(model, call):
    code, out, err = call(
        "edit", "model", "--merge", "1,3", "--remove", 2,
        "--name", "0=first", "--name", "3=both", "--out", "better",
    )  # fmt: skip
    assert code == 0
    assert len(out.splitlines()) == 3
    assert "first: topic" in out
    assert "Removed 2; their texts go to other topics." in err
    edited = load("better")
    assert edited.n_topics == 2
    assert edited.topic_names_ == ["first", "both"]
    assert load("model").n_topics == 4


def test_edit_reports_new_numbers(model, call):
    code, _, err = call("edit", "model", "--merge", "1,2", "--out", "better")
    assert code == 0
    assert "New topic numbers: 2 is now 1, 3 is now 2." in err
    assert "Saved the model to better." in err
    _, _, err = call("edit", "model", "--name", "1=trains", "--out", "better")
    assert "New topic numbers" not in err


def test_topics_are_set_aside_and_restored(model, call):
    code, out, err = call("edit", "model", "--set-aside", 2, "--out", "fewer")
    assert code == 0
    assert sorted(line.split()[0] for line in out.splitlines()[1:]) == ["0", "1", "3"]
    assert "1 topic is set aside and not listed: 2." in err
    assert load("fewer").fitted_.set_aside == {2}
    _, out, err = call("topics", "fewer")
    assert len(out.splitlines()) == 4
    assert "1 topic is set aside and not listed: 2." in err
    code, out, _ = call("transform", "fewer", "answers.csv", "--text", "answer")
    rows = [line.split(",") for line in out.splitlines()[1:]]
    assert sum(row[-1] == "topic 2 is set aside" for row in rows) == 100
    assert all((row[1] == "") == (row[-1] != "") for row in rows)
    code, out, _ = call("examples", "fewer", "answers.csv", "--text", "answer", "-q")
    assert (code, "topic 2" in out) == (0, False)
    assert call("explain", "fewer", "topic2word1 topic2word2")[0] == 0
    _, out, err = call("edit", "fewer", "--restore", 2, "--out", "all")
    assert (len(out.splitlines()), "set aside" in err) == (5, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--merge", "1,x"), "--merge must be integers separated by commas"),
        (("--remove", "9"), "no topic 9"),
        (("--name", "first"), "such as 0=trains"),
        (("--name", "7=x"), "no topic 7"),
        ((), "nothing to edit; use --merge, --remove, --set-aside, --restore or --name"),
        (("--merge", "0,1", "--remove", "1"), "topic 1 is both merged and removed"),
        (("--set-aside", "1", "--remove", "1"), "topic 1 is both removed and set aside"),
        (("--set-aside", "0,1,2,3"), "cannot set aside all topics"),
        (("--set-aside", "4"), "no topic 4"),
        (("--restore", "1"), "topic 1 is not set aside"),
        (("--merge", "0,1", "--name", "0=a", "--name", "1=b"), "become one topic"),
    ],
)
def test_edit_rejects_unusable_options(model, call, options, message):
    code, _, err = call("edit", "model", *options, "--out", "other")
    assert code == 2
    assert message in err
    assert not (model.parent / "other").exists()


def test_a_topic_is_not_both_merged_and_set_aside(model, call):
    code, _, err = call("edit", model, "--merge", "0,1", "--set-aside", 1, "-o", "new")
    assert code == 2
    assert "topic 1 is both merged and set aside; choose one" in err
    assert call("edit", model, "--merge", "0,1", "--set-aside", "0,1", "-o", "new")[0] == 0
