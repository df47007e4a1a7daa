"""From a net to the formulation that was found fastest for it here."""

from collections.abc import Callable
from dataclasses import replace

from gradwright.errors import SpecError
from gradwright.kinds import checked
from gradwright.layers import PORTABLE, Choice, Formulation, Site, sites_of
from gradwright.run import Backend
from gradwright.spec import NetSpec
from gradwright.tune.store import Store
from gradwright.tune.subject import variants_of
from gradwright.tune.trying import try_site
from gradwright.tune.verdict import LARGEST_ERROR, Tuning


@checked
def tune(
    net: NetSpec,
    *,
    batch: int,
    backend: Backend = Backend.XLA,
    base: Formulation = PORTABLE,
    largest_error: float = LARGEST_ERROR,
    watch: Callable[[Site, Tuning | None], None] = lambda site, tuning: None,
) -> tuple[Tuning, ...]:
    """Measure the forms of every site of a net on this machine and keep what is found.

    A site is timed as a program of its own, forward and backward, batch and shapes as in the net;
    forms take turns. `watch` is told of each site, with None where there is nothing to choose.
    A form whose results differ from the usual one's by more than `largest_error` is not chosen.

    Errors: those of `compile`; CheckpointError where the findings cannot be written.
    """
    store, found = Store(backend, base.layout), list[Tuning]()
    for site in sites_of(net, batch):
        tuning = try_site(site, base, backend, largest_error)
        if tuning is not None:
            store.write(tuning)
            found.append(tuning)
        watch(site, tuning)
    return tuple(found)


@checked
def tuned(
    net: NetSpec, *, batch: int, backend: Backend = Backend.XLA, base: Formulation = PORTABLE
) -> Formulation:
    """Return `base` with the forms that `tune` chose for the sites of a net.

    Errors: SpecError where a site was not measured, or its finding is damaged or of another
    machine.
    """
    store, choices = Store(backend, base.layout), list[Choice]()
    for site in sites_of(net, batch):
        found = store.read(site)
        if found is None and variants_of(site, base) is not None:
            raise SpecError(
                where=f"{net.name}: tuned formulation",
                expected=f"measurements of {site} on this machine for {backend.value}",
                found="none",
                remedy=f"Run gradwright tune {net.name} --batch {batch}, and --size if given",
            )
        choices.extend(found or ())
    return replace(base, choices=tuple(choices))
