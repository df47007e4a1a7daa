"""Trying the forms of one site on a backend."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradwright.layers import Formulation, Site
from gradwright.layers.forms import Form
from gradwright.run import NO_CACHE, Backend, compile
from gradwright.run.module_text import read_main
from gradwright.tune.clock import Race, race
from gradwright.tune.subject import variants_of
from gradwright.tune.verdict import MARGIN, Trial, Tuning, best

Arrays = Mapping[str, NDArray[Any]]
Forms = tuple[Form, ...]


def try_site(
    site: Site, base: Formulation, backend: Backend, largest_error: float
) -> Tuning | None:
    """Measure the forms of a site and choose; None where there is nothing to choose.

    The forms that gain alone are raced against the usual ones once more, together, and so are forms
    of one name in every part, since these may share work: what does not gain is not taken.
    """
    variants = variants_of(site, base)
    if variants is None:
        return None
    inputs, forms = _drawn(variants.text), list(variants.others)
    found, errors = _raced([variants.text, *variants.others.values()], inputs, backend)
    measured = zip(forms, found.ms[1:], errors[1:], strict=True)
    trials = tuple(Trial(form, ms, error) for form, ms, error in measured)
    usual = variants.usual
    wholes = {best(usual, found.ms[0], trials, largest_error), *_of_one_name(usual, forms)}
    whole = [usual, *(forms for forms in sorted(wholes, key=repr) if forms != usual)]
    if len(whole) == 1:
        return Tuning(site, found.clock, usual, found.ms[0], trials, usual, found.ms[0], 0.0)
    texts = [variants.text, *(variants.written(forms) for forms in whole[1:])]
    again, errors = _raced(texts, inputs, backend)
    limit = (1 - MARGIN) * again.ms[0]
    gaining = [
        (ms, number)
        for number, ms in enumerate(again.ms)
        if ms < limit and errors[number] <= largest_error
    ]
    ms, number = min(gaining, default=(again.ms[0], 0))
    return Tuning(site, again.clock, usual, again.ms[0], trials, whole[number], ms, errors[number])


def _of_one_name(usual: Forms, others: Sequence[Form]) -> list[Forms]:
    """Return the choices that have forms of one name in all parts."""
    names = dict.fromkeys(form.name for form in others)
    choices = [[form for form in (*usual, *others) if form.name == name] for name in names]
    return [tuple(forms) for forms in choices if len(forms) == len(usual) > 1]


def _raced(texts: Sequence[str], inputs: Arrays, backend: Backend) -> tuple[Race, list[float]]:
    """Return the timings of texts, and how much each differs from the first."""
    ready = [compile(text, backend=backend, cache=NO_CACHE) for text in texts]
    first = ready[0](**inputs)
    errors = [_difference(first, executable(**inputs)) for executable in ready]
    return race([partial(executable, **inputs) for executable in ready]), errors


def _difference(usual: Arrays, other: Arrays) -> float:
    """Return the largest difference of a result, beside its largest entry."""
    tiny = np.finfo(np.float32).tiny
    return max(
        float(np.max(np.abs(other[name] - array)) / max(np.max(np.abs(array)), tiny))
        for name, array in usual.items()
    )


def _drawn(text: str) -> Arrays:
    random, ports = np.random.default_rng(0), read_main(text).signature.inputs
    return {port.name: random.standard_normal(port.shape).astype(port.dtype) for port in ports}
