"""The stride-4 patchify as two decimations of a stride-1 convolution."""

from gradwright.theory.catalogue import windows as at
from gradwright.theory.record import Adjoint, Case, Control, Instance, Same, Size, Symbols, Theorem


def _patch_symbols() -> Symbols:
    shapes = (
        "x[N,C,H,W]; dx[N,C,H,W]; w[O,C,4,4]; dw[O,C,4,4]; z[N,O,H,W]; dz[N,O,H,W];"
        "half[N,O,2*P,2*Q]; dhalf[N,O,2*P,2*Q]; y[N,O,P,Q]; dy[N,O,P,Q]"
    )
    return Symbols(
        (
            at.N,
            at.C,
            at.O,
            Size("P", "rows of patches"),
            Size("Q", "columns of patches"),
        ),
        shapes,
        ("H = 4*P", "W = 4*Q"),
    )


_PATCH = "y[n,o,i,j] = sum(c,u<4,v<4) w[o,c,u,v]*x[n,c,4*i + u,4*j + v]"
_PATCHES = """\
z[n,o,i,j] = sum(c,u<4,v<4) w[o,c,u,v]*x[n,c,i + u - 1,j + v - 1]
half[n,o,i,j] = z[n,o,2*i + 1,2*j + 1]
y[n,o,i,j] = half[n,o,2*i,2*j]"""
_SPREAD_TWICE = """\
dhalf[n,o,a,b] = sum(i,j) [a = 2*i]*[b = 2*j]*dy[n,o,i,j]
dz[n,o,h,k] = sum(a,b) [h = 2*a + 1]*[k = 2*b + 1]*dhalf[n,o,a,b]"""
_PATCH_INPUT = "dx[n,c,h,k] = sum(o,u<4,v<4) w[o,c,3 - u,3 - v]*dz[n,o,h + u - 2,k + v - 2]"
_PATCH_WEIGHT = "dw[o,c,u,v] = sum(n,h,k) dz[n,o,h,k]*x[n,c,h + u - 1,k + v - 1]"


def _patchify(case: Case) -> Instance:
    del case
    return Instance(_patch_symbols(), Same(_PATCH, _PATCHES))


def _patchify_input(case: Case) -> Instance:
    del case
    claim = Adjoint(_PATCH, "x", f"{_SPREAD_TWICE}\n{_PATCH_INPUT}")
    return Instance(_patch_symbols(), claim)


def _patchify_weight(case: Case) -> Instance:
    del case
    claim = Adjoint(_PATCH, "w", f"{_SPREAD_TWICE}\n{_PATCH_WEIGHT}")
    return Instance(_patch_symbols(), claim)


_FOUR = (Case.square(4, 4),)
_WHY_PATCH = """\
The even positions of the odd positions are 2*(2*i) + 1 = 4*i + 1. There the stride-1 convolution
with one row of padding reads 4*i + 1 + u - 1 = 4*i + u for u = 0 .. 3: the patch itself, nothing
of the padding. Backwards dy goes to the even positions of a grid twice as fine, that to the odd
positions of one twice as fine again, and then through the stride-1 convolution."""

THEOREMS = (
    Theorem(
        "patchify",
        "the 4x4 convolution of stride 4 is the even phase of the odd phase of the stride-1 one",
        "decimation",
        _WHY_PATCH,
        _patchify,
        _FOUR,
        (
            Control(
                "even phase twice",
                _FOUR[0],
                lambda case: _patchify(case).claiming(
                    _PATCHES.replace("2*i + 1,2*j + 1", "2*i,2*j")
                ),
            ),
        ),
        _FOUR,
    ),
    Theorem(
        "patchify-input",
        "dx of the stride-4 patchify upsamples dy twice and convolves with the flipped kernel",
        "decimation",
        _WHY_PATCH,
        _patchify_input,
        _FOUR,
        (
            Control(
                "even positions in both upsamplings",
                _FOUR[0],
                lambda case: _patchify_input(case).claiming(
                    f"{_SPREAD_TWICE.replace(' + 1', '')}\n{_PATCH_INPUT}"
                ),
            ),
        ),
        _FOUR,
    ),
    Theorem(
        "patchify-weight",
        "dw of the stride-4 patchify correlates x with dy upsampled twice",
        "decimation",
        _WHY_PATCH,
        _patchify_weight,
        _FOUR,
        (
            Control(
                "padding of the backward off by one",
                _FOUR[0],
                lambda case: _patchify_weight(case).claiming(
                    f"{_SPREAD_TWICE}\n{_PATCH_WEIGHT.replace('h + u - 1', 'h + u - 2')}"
                ),
            ),
        ),
        _FOUR,
    ),
)
