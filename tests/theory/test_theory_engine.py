"""What the two engines refuse, and that neither proves what is false at some size."""

import re

import pytest

from gradwright.errors import SpecError
from gradwright.theory import (
    Adjoint,
    Hypothesis,
    Instance,
    Law,
    Proved,
    Refuted,
    Same,
    Size,
    Symbols,
    Unknown,
    prove,
)
from gradwright.theory.record import Claim


def instance(sizes: str, shapes: str, claim: Claim, *definitions: str) -> Instance:
    return Instance(Symbols(tuple(Size(x, x) for x in sizes), shapes, definitions), claim)


VECTORS = "x[N]; dx[N]; y[N]; dy[N]; z[M]; t; v[N]; q[N,M]"

FALSE: dict[str, Instance] = {
    "two sizes taken for one": instance(
        "NM", VECTORS, Same("t = mean(n) x[n]", "t = (sum(n) x[n])/M")
    ),
    "a sum over more or less than it reads": instance(
        "NM",
        VECTORS,
        Same("t = sum(n) exp(x[n])*exp(z[n])", "t = sum(m) exp(z[m])*exp(x[m])"),
    ),
    "a size that happens to be 1": instance("NM", VECTORS, Same("t = N", "t = N*N")),
    "squares that are not": instance(
        "NM", VECTORS, Same("t = (sum(n) x[n])^2", "t = sum(n) x[n]^2")
    ),
    "a root of a square": instance("NM", VECTORS, Same("y[n] = sqrt(x[n]^2)", "y[n] = x[n]")),
    "the last entry left out": instance(
        "NM", VECTORS, Same("t = sum(n) x[n]", "t = sum(n) x[n]*(1 - [n = N - 1])")
    ),
    "a backward that forgets a branch": instance(
        "NM", VECTORS, Adjoint("v[n] = 2*x[n]\ny[n] = v[n] + x[n]", "x", "dx[n] = 2*dy[n]")
    ),
    "a reversal that is the identity at N = 1": instance(
        "NM", VECTORS, Same("y[n] = x[n]", "y[n] = x[N - 1 - n]")
    ),
    "an off-by-one that only a wide input shows": instance(
        "NM", VECTORS, Same("y[n] = x[n + 5]", "y[n] = x[n + 5]*(1 - [n = 1])")
    ),
}

TRUE: dict[str, Instance] = {
    "a reversal undone": instance(
        "NM", VECTORS, Same("y[n] = x[n]", "v[n] = x[N - 1 - n]\ny[n] = v[N - 1 - n]")
    ),
    "both branches": instance(
        "NM", VECTORS, Adjoint("v[n] = 2*x[n]\ny[n] = v[n] + x[n]", "x", "dx[n] = 3*dy[n]")
    ),
    "a variance in two ways": instance(
        "NM",
        VECTORS,
        Same(
            "t = mean(n) (x[n] - mean(m) x[m])^2",
            "t = (mean(n) x[n]^2) - (mean(n) x[n])^2",
        ),
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not_proved(name: str) -> None:
    outcome = prove(FALSE[name])
    assert isinstance(outcome, Refuted), outcome


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved(name: str) -> None:
    assert isinstance(prove(TRUE[name]), Proved)


def test_an_even_and_an_odd_half_make_the_whole() -> None:
    symbols = Symbols((Size("N", "half"),), "x[2*N]; e[N]; o[N]; y[2*N]; t")
    split = "e[i] = y[2*i]\no[i] = y[2*i + 1]"
    claim = Same(
        "t = sum(n) x[n]*y[n]",
        f"{split}\nt = (sum(i) e[i]*x[2*i]) + (sum(i) o[i]*x[2*i + 1])",
    )
    assert isinstance(prove(Instance(symbols, claim)), Proved)


def test_terms_that_meet_the_same_product_are_not_compared_as_sets() -> None:
    twice = instance("NM", VECTORS, Same("t = sum(n) 2*x[n]", "t = (sum(n) x[n]) + (sum(n) x[n])"))
    outcome = prove(twice)
    assert isinstance(outcome, Proved)
    assert outcome.method.value == "normal forms"


def test_a_count_that_depends_on_the_position_is_left_open() -> None:
    symbols = Symbols((Size("N", "length"),), "x[N]; y[N]")
    claim = Same("y[n] = sum(k<3) [n = n + k - k]*x[n]", "y[n] = 3*x[n]")
    outcome = prove(Instance(symbols, claim))
    assert isinstance(outcome, Unknown)
    assert "varying number of times" in outcome.reason


def test_a_maximum_compared_with_something_else_is_left_open() -> None:
    symbols = Symbols((Size("N", "length"),), "x[N]; y[N]; dx[N]; dy[N]")
    claim = Adjoint("y[n] = max(k<2) x[n + k]", "x", "dx[n] = [x[n] = y[n]]*dy[n]")
    outcome = prove(Instance(symbols, claim))
    assert not isinstance(outcome, Proved)


def test_a_law_speaks_of_its_value_only() -> None:
    symbols = Symbols((Size("N", "rows"), Size("K", "classes")), "t[N,K]; q[N,K]; y[N]")
    mass = Law("t", "rows of t sum to 1")
    right = Instance(symbols, Same("y[n] = sum(k) t[n,k]*exp(q[n,k] - q[n,k])", "y[n] = 1"))
    assert isinstance(prove(Instance(symbols, right.claim, laws=(mass,))), Proved)
    other = Same("y[n] = (sum(k) exp(q[n,k] - q[n,k] + log(2)))/2", "y[n] = 1")
    assert isinstance(prove(Instance(symbols, other, laws=(mass,))), Refuted)


def test_a_hypothesis_can_be_needed() -> None:
    symbols = Symbols((Size("N", "length"),), "x[N]; y[N]")
    claim = Same("y[n] = x[n]", "y[n] = x[N - 1 - n]")
    short = Hypothesis("N <= 1", "one entry", is_exact=True)
    assert isinstance(prove(Instance(symbols, claim, (short,))), Proved)


def test_a_claim_about_no_sizes_is_not_proved() -> None:
    symbols = Symbols((Size("N", "length"),), "x[N]; y[N]")
    never = Hypothesis("N mod 2 = 0 and N mod 4 = 1", "never")
    outcome = prove(Instance(symbols, Same("y[n] = x[n]", "y[n] = 2*x[n]"), (never,)))
    assert outcome == Unknown("no sizes meet the conditions")


SHAPES = "x[N]; dx[N]; y[N]; dy[N]; z[M]; v[N]; t; dt"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (Same("y[n] = mean(n) x[n]", "y[n] = x[n]"), "n for an index bound twice"),
        (Same("y[N] = x[N]", "y[n] = x[n]"), "N for an index and a size or value"),
        (Same("y[t] = x[t]", "y[n] = x[n]"), "t for an index and a size or value"),
        (Same("v[n] = x[n]\nv[n] = 2*x[n]", "v[n] = 2*x[n]"), "v: expected one definition"),
        (Same("y[n] = v[n]\nv[n] = x[n]\ny[n] = v[n]", "y[n] = x[n]"), "v: expected a value def"),
        (Same("u[n] = x[n]", "u[n] = x[n]"), "u: expected a declared shape"),
        (Same("y = t", "y = t"), "y: expected an index per dimension"),
        (Same("y[n] = x[n]", "v[n] = x[n]"), "expected the same last value"),
        (
            Adjoint("y[n] = x[n]", "x", "v[n] = dy[n]\nt = sum(n) v[n]"),
            "t: expected the shape of x",
        ),
        (Adjoint("z[m] = t", "t", "dt = sum(m) z[m]"), "dz: expected the shape of z"),
        (Adjoint("v[n] = x[n]\ny[n] = v[n]", "v", "dx[n] = dy[n]"), "v: expected an input"),
    ],
)
def test_a_statement_that_says_nothing_is_refused(claim: Claim, message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        prove(Instance(Symbols((Size("N", "n"), Size("M", "m")), SHAPES), claim))


def test_a_size_and_a_value_of_one_name_are_refused() -> None:
    with pytest.raises(SpecError, match="N for a size and a value"):
        prove(Instance(Symbols((Size("N", "n"),), "N[N]; y[N]"), Same("y[n] = 1", "y[n] = 1")))
