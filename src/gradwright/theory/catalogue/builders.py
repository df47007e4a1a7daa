"""Theorems without concrete parameters."""

from gradwright.theory.record import Case, Control, Instance, Theorem

ANY = Case()
"""The one case of a theorem that leaves nothing concrete."""


def plain(
    name: str, title: str, family: str, why: str, instance: Instance, *wrong: tuple[str, str]
) -> Theorem:
    """Return a theorem of one case; each of `wrong` is a name and a backward to be refuted."""

    def right(case: Case) -> Instance:
        del case
        return instance

    controls = tuple(_control(what, instance, backward) for what, backward in wrong)
    return Theorem(name, title, family, why, right, (ANY,), controls, (ANY,))


def _control(name: str, instance: Instance, backward: str) -> Control:
    return Control(name, ANY, lambda case: instance.claiming(backward))
