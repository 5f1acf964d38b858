import numpy as np
import pytest

from bittern._core.validation import (
    are_indices,
    check_integer,
    check_kappa,
    check_number,
    check_text,
    is_integer,
    is_number,
)
from bittern.errors import InputError


def test_numbers_of_python_and_numpy_are_numbers():
    assert is_integer(3)
    assert is_integer(np.int32(3))
    assert not any(map(is_integer, (True, 3.0, "3", None)))
    assert is_number(3.5)
    assert is_number(np.float32(3.5))
    assert not any(map(is_number, (True, np.nan, np.inf, "3", None)))


def test_are_indices():
    assert are_indices(np.array([0, 2]), 3)
    assert are_indices(np.array([], int), 0)
    assert not are_indices(np.array([0, 3]), 3)
    assert not are_indices(np.array([-1]), 3)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_integer("window", 1, 2), "^window must be 2 or more, not 1$"),
        (lambda: check_integer("window", 1, 2, "or None"), "must be 2 or more or None, not 1$"),
        (lambda: check_integer("window", 2.5, 2), "^window must be an integer, not 2.5$"),
        (lambda: check_integer("n", "5", 2, "or None"), "^n must be an integer or None, not '5'$"),
        (lambda: check_number("share", 2, 0, 1), "^share must be a number from 0 to 1, not 2$"),
        (lambda: check_number("share", np.nan, 0, 1), "a number from 0 to 1, not nan"),
        (lambda: check_kappa(0.5), "^kappa must be greater than 0.5 and at most 1, not 0.5; "),
        (lambda: check_kappa("fast"), "not 'fast'; training may not converge"),
    ],
)
def test_values_out_of_range_are_refused(check, message):
    with pytest.raises(InputError, match=message):
        check()


def test_values_in_range_are_accepted():
    check_integer("window", 2, 2)
    check_number("share", 1, 0, 1)
    check_kappa(1)


def test_check_text():
    check_text("title", "größer")
    for value in (3, None, b"bytes", "\ud800"):
        with pytest.raises(InputError, match="title"):
            check_text("title", value)
