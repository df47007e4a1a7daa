"""From a program, or a bare text, to an executable on one of the backends."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gradwright.errors import ParseError, SpecError
from gradwright.hlo.signature import Port, Signature
from gradwright.kinds import checked
from gradwright.run import interpreter, iree, xla
from gradwright.run.backend import (
    Backend,
    CacheOutcome,
    Compilable,
    Loaded,
    Manifest,
    Options,
)
from gradwright.run.cache import NO_CACHE, Cache, DamagedEntry, key_of
from gradwright.run.executable import Executable
from gradwright.run.machine import cpu_name
from gradwright.run.module_text import read_main
from gradwright.run.settings import current_settings, keep_heap_if_chosen

DEFAULT_OPTIONS = Options()


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as backends take it."""

    name: str
    text: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class _Route:
    """What the three backends do alike; `compile` is None where there is nothing to keep."""

    version: Callable[[], str]
    flags: Callable[[Options], tuple[str, ...]]
    compile: Callable[[Compilable, Options], bytes] | None
    load: Callable[[Compilable, bytes, Options], Loaded]
    check: Callable[[], None]


_ROUTES = {
    Backend.XLA: _Route(
        xla.version, xla.flags_of, xla.compile_program, xla.XlaProgram, xla.check_bindings
    ),
    Backend.IREE: _Route(
        iree.version, iree.flags_of, iree.compile_program, iree.IreeProgram, iree.check_installed
    ),
    Backend.INTERPRETER: _Route(
        interpreter.version,
        lambda options: (),
        None,
        lambda program, blob, options: interpreter.InterpretedProgram(program, options),
        lambda: None,
    ),
}


@checked
def compile(
    program: Compilable | str,
    *,
    backend: Backend | str = Backend.XLA,
    options: Options = DEFAULT_OPTIONS,
    cache: Cache | None = None,
) -> Executable:
    """Compile a program, or a StableHLO text with a function `main` or only one, for one backend.

    The text is parsed and verified first; compilers run where their abort cannot end this
    process; compiled code is kept in `cache` (None: the user's; `NO_CACHE`: nowhere). The inputs
    of a bare text are named arg0, arg1, …, its outputs out0, out1, ….

    Errors: ParseError where the text is not valid StableHLO; LowererError where the backend
    rejects it or aborts; UnsupportedError where the backend is not installed or is known to get
    the program wrong; SpecError for an unknown backend.
    """
    keep_heap_if_chosen()
    target = _backend(backend)
    route = _ROUTES[target]
    route.check()
    known = _known(program)
    started = time.perf_counter()
    blob, outcome = _executable_code(known, target, options, cache or Cache())
    loaded = route.load(known, blob, options)
    manifest = Manifest(
        program=known.name,
        backend=target,
        version=route.version(),
        flags=route.flags(options),
        text_sha256=_digest(program if isinstance(program, str) else program.text),
        compile_seconds=time.perf_counter() - started,
        cache=outcome,
        threads=current_settings().threads,
        allocator=current_settings().allocator,
        cpu=cpu_name(),
    )
    return Executable(known.name, known.signature, loaded, manifest)


def backend_version(backend: Backend) -> str:
    """Return the version of what compiles for a backend; UnsupportedError where it is missing."""
    _ROUTES[backend].check()
    return _ROUTES[backend].version()


def _backend(name: Backend | str) -> Backend:
    if name in tuple(Backend):
        return Backend(name)
    choices = ", ".join(Backend)
    raise SpecError(where="compile", expected=f"backend {choices}", found=repr(name))


def _known(program: Compilable | str) -> Compilable:
    """Verify the text; give a bare one a signature, and hold a program to its own."""
    if isinstance(program, str):
        main = read_main(program)
        return _Text(main.name, main.text, main.signature)
    if not hasattr(program, "text") or not hasattr(program, "signature"):
        raise SpecError(
            where="compile", expected="a program or a StableHLO text", found=repr(program)
        )
    main = read_main(program.text)
    _check_ports(program.name, "arguments", program.signature.inputs, main.signature.inputs)
    _check_ports(program.name, "results", program.signature.outputs, main.signature.outputs)
    return _Text(program.name, main.text, program.signature)


def _check_ports(name: str, kind: str, declared: Sequence[Port], found: Sequence[Port]) -> None:
    expected, actual = [str(port.type) for port in declared], [str(port.type) for port in found]
    if expected == actual:
        return
    wrong = next(
        (i for i, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1]),
        min(len(expected), len(actual)),
    )
    raise ParseError(
        where=f"{kind} of @main in program {name}, number {wrong}",
        expected=expected[wrong] if wrong < len(expected) else "no more",
        found=actual[wrong] if wrong < len(actual) else "no more",
    )


def _executable_code(
    program: Compilable, backend: Backend, options: Options, cache: Cache
) -> tuple[bytes, CacheOutcome]:
    route = _ROUTES[backend]
    if route.compile is None:
        return b"", CacheOutcome.OFF
    if cache == NO_CACHE:
        return route.compile(program, options), CacheOutcome.OFF
    key = key_of(
        {
            "text": _digest(program.text),
            "backend": backend,
            "version": route.version(),
            "flags": route.flags(options),
            "cpu": cpu_name(),
            "threads": current_settings().threads,
        }
    )
    try:
        stored, outcome = cache.read(key), CacheOutcome.MISS
    except DamagedEntry:
        stored, outcome = None, CacheOutcome.REPAIRED
    if stored is not None:
        return stored, CacheOutcome.HIT
    blob = route.compile(program, options)
    return blob, outcome if _keep(cache, key, blob) else CacheOutcome.UNWRITABLE


def _keep(cache: Cache, key: str, blob: bytes) -> bool:
    try:
        cache.write(key, blob)
    except OSError:  # full or read-only: what was compiled is good all the same
        return False
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
