"""The command that edits topics."""

import pytest

from bittern import load


def test_edit_merges_removes_and_names_topics(model, call):
    code, out, _ = call(
        "edit", "model", "--merge", "1,3", "--remove", 2,
        "--name", "0=first", "--name", "3=both", "--out", "better",
    )  # fmt: skip
    assert code == 0
    assert len(out.splitlines()) == 3
    assert "first: topic" in out
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--merge", "1,x"), "--merge must be integers separated by commas"),
        (("--remove", "9"), "no topic 9"),
        (("--name", "first"), "such as 0=trains"),
        (("--name", "7=x"), "no topic 7"),
        ((), "nothing to edit; use --merge, --remove or --name"),
        (("--merge", "0,1", "--remove", "1"), "topic 1 is both merged and removed"),
        (("--merge", "0,1", "--name", "0=a", "--name", "1=b"), "become one topic"),
    ],
)
def test_edit_rejects_unusable_options(model, call, options, message):
    code, _, err = call("edit", "model", *options, "--out", "other")
    assert code == 2
    assert message in err
    assert not (model.parent / "other").exists()
