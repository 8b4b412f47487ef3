"""Numbers whose sums do not depend on their order."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc._grid import on_grid

STEP = 2.0**-52


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (0.0, 0.0),
        (1.0, 1.0),
        (STEP, STEP),
        (0.4 * STEP, 0.0),
        (0.6 * STEP, STEP),
        (0.5 * STEP, 0.0),  # a tie goes to the even multiple
        (1.5 * STEP, 2 * STEP),
        (2.5 * STEP, 2 * STEP),
        (1e-300, 0.0),
    ],
)
def test_a_number_becomes_the_nearest_multiple_of_the_step(value: float, rounded: float) -> None:
    assert on_grid(np.array([value])).tolist() == [rounded]


@given(st.floats(0, 2))
def test_rounding_equals_that_of_exact_fractions(value: float) -> None:
    steps = round(Fraction(value) * 2**52)  # ties to even
    assert Fraction(on_grid(np.array([value])).tolist()[0]) == Fraction(steps, 2**52)


def test_the_array_itself_is_rounded_and_returned() -> None:
    values = np.array([0.6 * STEP, 0.5])
    assert on_grid(values) is values
    assert values.tolist() == [STEP, 0.5]


def test_three_numbers_that_add_up_differently_from_either_end_no_longer_do() -> None:
    first, second, third = 0.1, 0.2, 0.3
    assert (first + second) + third != (third + second) + first
    first, second, third = on_grid(np.array([first, second, third])).tolist()
    assert (first + second) + third == (third + second) + first


@given(st.lists(st.floats(0, 1), max_size=30), st.randoms(use_true_random=False))
def test_sums_up_to_two_are_exact_in_any_order(values: list[float], random: Random) -> None:
    shares = on_grid(np.array(values) / max(sum(values), 1.0)).tolist()
    exact = sum(map(Fraction, shares))
    random.shuffle(shares)
    total = 0.0
    for share in shares:
        total += share
    assert Fraction(total) == exact
