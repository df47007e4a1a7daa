"""What a softmax cross-entropy is, in index notation, term by term."""

from dataclasses import dataclass

from gradwright.spec.decimals import complement


@dataclass(frozen=True, slots=True)
class Settings:
    """What the statements depend on; `weighted_norm`: the sum is divided by the class weights."""

    classes: int
    soft: bool
    smoothing: float
    weights: tuple[float, ...] | None
    weighted_norm: bool
    ignored: int | None
    gamma: float


def statements(settings: Settings) -> str:
    """Return the statements that define `loss` and `correct` over logits `x` and labels `y`."""
    lines = [
        *_truth(settings),
        "logp[n,k] = x[n,k] - log(sum(j) exp(x[n,j]))",
        *_target(settings),
        *_focal(settings),
        *_loss(settings),
        *_correct(settings),
    ]
    return "; ".join(lines)


def _truth(s: Settings) -> list[str]:
    """`truth` is the label as weights of the classes; `counted` is 1 for examples that count."""
    if s.soft:
        return ["truth[n,k] = y[n,k]"]
    if s.ignored is None:
        return [f"truth[n,k<{s.classes}] = [y[n] = k]"]
    kept = " * counted[n]" if s.ignored in range(s.classes) else ""
    label = f"{s.ignored}" if s.ignored >= 0 else f"(0 - {-s.ignored})"
    return [
        f"counted[n] = 1 - [y[n] = {label}]",
        f"truth[n,k<{s.classes}] = [y[n] = k]{kept}",
    ]


def _target(s: Settings) -> list[str]:
    """`target` is what the logarithms are weighed by."""
    target = "truth[n,k]"
    lines: list[str] = []
    if s.smoothing:
        mass = " * counted[n]" if s.ignored is not None else ""
        mass = " * (sum(j) truth[n,j])" if s.soft else mass
        share = f"{s.smoothing!r} / {s.classes}{mass}"
        target = f"{complement(s.smoothing)!r} * {target} + {share}"
    if s.weights is not None:
        numbers = ", ".join(repr(float(weight)) for weight in s.weights)
        lines.append(f"weights = {{{numbers}}}")
        target = f"({target}) * weights[k]"
    return [*lines, f"target[n,k] = {target}"]


def _focal(s: Settings) -> list[str]:
    """`factor` is (1 - p) ** gamma, 0 where 1 - p is 0."""
    if not s.gamma:
        return []
    return [
        "others[n] = sum(k) exp(logp[n,k]) * (1 - truth[n,k])",
        "sure[n] = [others[n] = 0]",
        "safe[n] = sure[n] + (1 - sure[n]) * others[n]",
        f"factor[n] = (1 - sure[n]) * safe[n]^{s.gamma!r}",
    ]


def _loss(s: Settings) -> list[str]:
    factor = " * factor[n]" if s.gamma else ""
    each = f"(sum(k) target[n,k] * logp[n,k]){factor}"
    if s.weighted_norm:
        norm = "sum(n,k) truth[n,k] * weights[k]"
    elif s.ignored is not None:
        norm = "sum(n) counted[n]"
    else:
        return [f"loss = -mean(n) {each}"]
    return [
        f"total = {norm}",
        "norm = [total = 0] + (1 - [total = 0]) * total",
        f"loss = -(sum(n) {each}) / norm",
    ]


def _correct(s: Settings) -> list[str]:
    """An example is right where its label is the first of the largest logits."""
    lines = _first("x", "guess", s.classes)
    chosen = "truth[n,k]"
    if s.soft:
        lines += _first("truth", "named", s.classes)
        chosen = "[k = named[n]]"
    return [*lines, f"correct = sum(n,k<{s.classes}) [k = guess[n]] * {chosen}"]


def _first(scores: str, place: str, classes: int) -> list[str]:
    """Define `place`, the lowest class whose score is the row's maximum."""
    peak, top, at = f"{place}_peak", f"{place}_top", f"{place}_at"
    return [
        f"{peak}[n] = max(k) {scores}[n,k]",
        f"{top}[n,k] = [{scores}[n,k] = {peak}[n]]",
        f"{at}[n,k] = {top}[n,k] * k + (1 - {top}[n,k]) * {classes}",
        f"{place}[n] = min(min(k) {at}[n,k], {classes})",
    ]
