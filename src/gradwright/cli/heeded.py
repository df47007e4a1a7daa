"""Options that a command is given though nothing reads them: each is refused, defaults too."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gradwright.cli.emission import WITH_LAYER, EntryPoint
from gradwright.cli.nets import PROBE_OF, artifact_of, is_own, names_net
from gradwright.cli.request import Request
from gradwright.errors import SpecError

# Parameters by their names in Python.
_ROUNDED = frozenset({"batch", "precision", "abi", "formulation"})
_EMISSION = _ROUNDED | {"entry", "loss", "optimizer", "layer", "recompute"}
_SIZES = frozenset({"classes", "size"})
_OF_NETS = (_EMISSION | _SIZES) - {"loss"}
_OF_TEXTS = frozenset({"wrt", "grads", "forward", "backward", "equal"})
_READ = {
    EntryPoint.TRAIN_STEP: _ROUNDED | {"loss", "optimizer", "recompute"},
    EntryPoint.VJP: _ROUNDED | {"recompute"},
    EntryPoint.OPTIMIZER_STEP: frozenset({"optimizer", "precision", "abi"}),
} | dict.fromkeys(WITH_LAYER, _ROUNDED | {"layer"})
"""What an entry point reads, where it is not batch, precision, convention and forms."""


@dataclass(frozen=True, slots=True)
class _Case:
    """What a command is about, and which of its options nothing reads then."""

    where: str
    expected: str
    unread: frozenset[str]


def require_heeded(request: Request) -> None:
    """SpecError where an option was given that nothing reads beside the others, or is empty."""
    for asked in request.parameters:
        if asked.given and asked.value == "":
            raise SpecError(where=asked.spelling, expected="a value", found="an empty one")
    for case in _cases(request):
        found = [a.spelling for a in request.parameters if a.given and a.name in case.unread]
        if found:
            raise SpecError(
                where=case.where,
                expected=case.expected,
                found=", ".join(found),
                remedy=f"Leave {'it' if len(found) == 1 else 'them'} out",
            )


def _cases(request: Request) -> Iterator[_Case]:
    match request.verb:
        case "emit":
            yield from _of_program(request, request["net"].text)
        case "certify" | "mutate":
            yield from _of_claims(request)
        case "explain":
            yield from _of_explanation(request)
        case "eval" | "predict":
            yield from _of_run_or_net(request)
        case "theorems":
            yield from _of_theorems(request)
        case "probes" if len(request["name"].words) != 1:
            yield _Case("--file", "the name of one probe beside it", frozenset({"file"}))
        case _:
            yield from _of_own(request["net"].text)


def _of_claims(request: Request) -> Iterator[_Case]:
    """Yield what is read of a net, of two texts, of a pair, or of one text."""
    word = request["file"].text
    is_file = bool(word) and (Path(word).exists() or not names_net(word))
    if net := request["net"].text or ("" if is_file else word):
        yield _Case(request.verb, "a net without texts and options of texts", _OF_TEXTS)
        yield from _of_program(request, net)
        return
    yield _Case(request.verb, "a net that they are options of", _OF_NETS)
    if request["equal"].given:
        beside = _OF_TEXTS - {"equal"} | {"file", "loss"}
        yield _Case("--equal", "no other texts and no indices beside it", beside)
    elif request["forward"].given or request["backward"].given:
        yield _Case(
            "--backward", "results that are all cotangents of inputs", frozenset({"loss", "grads"})
        )


def _of_program(request: Request, net: str) -> Iterator[_Case]:
    if net.startswith(PROBE_OF):
        expected = "no option but --precision: the name says the rest"
        yield _Case(net, expected, (_EMISSION | _SIZES) - {"precision"})
        return
    name = artifact_of(net)
    if name is not None:
        expected = "no option but --batch and --formulation: the name says the rest"
        unread = (_EMISSION | _SIZES) - {"batch", "formulation"}
        yield _Case(f"artifact {name}", expected, unread)
        return
    yield from _of_own(net)
    yield from _of_entry(request["entry"].text)


def _of_entry(entry: str) -> Iterator[_Case]:
    name, colon, _ = entry.partition(":")
    if name not in tuple(EntryPoint):
        return  # it is refused where it is read
    read = _READ.get(EntryPoint(name), _ROUNDED) - ({"layer"} if colon else set())
    spelled = ", ".join(f"--{each}" for each in sorted(read))
    yield _Case(f"--entry {entry}", f"only what it reads, {spelled}", _EMISSION - {"entry"} - read)


def _of_own(net: str) -> Iterator[_Case]:
    if is_own(net):
        expected = "no options beside a net whose file declares its input and outputs"
        yield _Case(net, expected, _SIZES)


def _of_explanation(request: Request) -> Iterator[_Case]:
    if request["checkpoint"].given:
        yield _Case(
            "--checkpoint",
            "no --weights, --seed, --pixels, --classes and --size beside it",
            frozenset({"weights", "seed", "pixels"}) | _SIZES,
        )
    if request["weights"].given:
        yield _Case("--weights", "no --seed beside it", frozenset({"seed"}))
    yield from _of_own(request["net"].text)


def _of_run_or_net(request: Request) -> Iterator[_Case]:
    if not request["weights"].given:
        unread = frozenset({"pixels"}) | _SIZES
        yield _Case(request.verb, "a net with --weights that they are options of", unread)
        return
    yield _Case("--weights", "the net in the first place, and no --net", frozenset({"net"}))
    yield from _of_own(request["run"].text)


def _of_theorems(request: Request) -> Iterator[_Case]:
    if request["as_rules"].given:
        expected = "no cases beside it: rules are listed, and nothing is proved"
        yield _Case("--rules", expected, frozenset({"whole_grid"}))
    if request["as_json"].given:
        expected = "no other form beside one JSON object"
        yield _Case("--json", expected, frozenset({"as_markdown"}))
