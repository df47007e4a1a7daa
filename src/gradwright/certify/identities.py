"""The identities that the normal forms use, by name: each is a lemma of `proofs/`.

Identity `a-b` is the lemma `rule_a_b`; the derivative rule of operation `op` is `pull_op`. A test
refuses a name without its lemma, and a function of the kernel's rules that rewrites values, or
decides a question about them, and is named neither by an identity nor among DEFINITIONS nor among
INSPECTIONS. No proof reads this table.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """An equality over the real or whole numbers, with its conditions, and where it is used."""

    statement: str
    places: tuple[str, ...]
    """Functions of the kernel, `module.function` or `module.Class.method`."""


def _identity(statement: str, places: str) -> Identity:
    return Identity(statement, tuple(places.split()))


IDENTITIES: Mapping[str, Identity] = {
    # Guards and digits
    "guard-constant": _identity("a <= c + e < b is a - c <= e < b - c", "index._primitive"),
    "guard-divisor": _identity("a <= g e < b is ceil(a/g) <= e < ceil(b/g)", "index._primitive"),
    "guard-sign": _identity("a <= -e < b is 1 - b <= e < 1 - a", "index._primitive"),
    "guard-meet": _identity("two guards on e are one", "index.conjunction"),
    "guard-clip": _identity("a guard is clipped to the bounds of e", "index.conjunction"),
    "guard-always": _identity(
        "a guard that bounds allow throughout is 1", "index.always index.conjunction"
    ),
    "guard-never": _identity("a guard without room is 0", "index.conjunction"),
    "guard-leading-digit": _identity("a guard on g u + w may bound u alone", "index._digits_apart"),
    "guard-equation-digits": _identity("g u + w = a may fix u and w", "index._digits_apart"),
    "guard-conjunction": _identity(
        "guards that hold together where others do stand in their place", "index.conjunction"
    ),
    "guard-opposite": _identity("1 - [a <= e < b] = [e < a] + [b <= e]", "masks.Masks.complement"),
    "guard-join": _identity("[a <= e < b] + [b <= e < c] = [a <= e < c]", "reading.vanishes"),
    "guard-fixed": _identity("[v = a] F(v) = [v = a] F(a)", "masks.Masks._where"),
    "coordinate-guard": _identity(
        "of whole numbers, e > 0 is 1 <= e",
        "masks.Masks._coordinate_guard",
    ),
    "affine-bounds": _identity("an affine expression lies between its ends", "index.Affine.bounds"),
    "digits": _identity("a number below m n is one pair of digits", "contractions._in_digits"),
    "digits-regroup": _identity("digits split in any order alike", "contractions._in_digits"),
    "reshape": _identity("row-major order stays", "contractions._in_digits shaped.reshape"),
    # Sums
    "sum-linear": _identity("sum of a F + b G = a sum F + b sum G", "sums.Summation.total"),
    "sum-unfold": _identity(
        "a sum inside a sum is one sum", "sums.Summation._unfolded pieces.opened"
    ),
    "sum-equation": _identity(
        "an equation with coefficient +-1 is solved",
        "pieces.Piece.solved contractions.Contractions._settled "
        "contractions.Contractions._narrowed",
    ),
    "sum-interval": _identity("a <= v < b on a summed v is a shift", "pieces.Piece.solved"),
    "sum-independent": _identity(
        "sums that share no variable multiply", "sums.Summation._components sums.connected"
    ),
    "sum-unused": _identity(
        "what nothing reads multiplies by its extent",
        "sums.Summation.repeated pieces.Piece.without",
    ),
    "sum-held": _identity(
        "guards met at one point at most",
        "sums.Summation._held reading.met_once reading._guard",
    ),
    "sum-rename": _identity(
        "names of summed variables do not matter",
        "relations.Relations._plain classes._labelled classes.intern_class "
        "classes.interned_alike atoms.Atoms.ordered",
    ),
    "sum-relation": _identity(
        "a sum is fixed by its set of index tuples, each met once",
        "relations.Relations._relation",
    ),
    "sum-gather": _identity(
        "a sum of F(e) is the sum of F(w), times how often e is w", "sums.Summation._gathered"
    ),
    "sum-interface": _identity(
        "an index that no summed variable meets may be named",
        "relations.Relations._interface classes.generalized",
    ),
    "reads-determine": _identity(
        "what equations of what is read determine is the same where the same is read",
        "linear.undetermined linear.row_echelon linear._clear reading.met_again",
    ),
    "sum-pieces": _identity(
        "pieces whose coefficients add up to 0 at every point",
        "equality.equal equality._Difference.cancels equality._Difference._nothing "
        "equality._Difference._balanced reading.add_up_to_nothing reading.vanishes "
        "reading.cancel reading._cancel",
    ),
    "sum-symmetric": _identity("equal factors may change places", "pieces.symmetric reading.alike"),
    "sum-digits": _identity("sum over i = sum over its digits", "contractions._digits_of"),
    "sum-merge": _identity("n u + w is one variable", "relations._merged"),
    "common-guard": _identity(
        "a factor of every term comes out", "contractions.Contractions.as_term"
    ),
    "multilinear-transpose": _identity(
        "exchange an operand with the result", "multilinear.Multilinear.transpose"
    ),
    "loop-sum": _identity(
        "v grows by t: v = start + sum of t", "loops._while loops._grown loops._over_trips"
    ),
    "loop-counter": _identity("start + k step", "loops._at_trip"),
    "read-by-mask": _identity(
        "x[s] = sum of [s = i] x[i]",
        "indexing._place_mask pieces.terms_of contractions.Contractions.rearranged",
    ),
    # Masks
    "mask-values": _identity("a mask is 0 or 1", "atoms._is_mask atoms.Atoms.is_mask"),
    "mask-idempotent": _identity("m m = m", "algebra.Algebra.product"),
    "mask-exclusive": _identity("[P > 0] [P = 0] = 0, …", "algebra.Algebra.product"),
    "mask-zero-product": _identity("P [P = 0] = 0", "algebra.Algebra.product"),
    "mask-scale": _identity(
        "[c P > 0] = [P > 0], c > 0", "masks.Masks._mask_atom masks.Masks._numerator"
    ),
    "mask-opposite": _identity("[-P > 0] = 1 - [P > 0] - [P = 0]", "masks.Masks._mask_atom"),
    "mask-less": _identity("[P < 0] = [-P > 0]", "masks.Masks.mask"),
    "mask-of-positive": _identity("P > 0 gives [P > 0] = 1", "masks.Masks._mask_atom"),
    "mask-difference": _identity("[a > b] = [a - b > 0]", "masks.Masks.compare"),
    "mask-complement": _identity("[not A] = 1 - [A]", "arithmetic.Arithmetic.negation"),
    "mask-cases": _identity(
        "f(m) = m f(1) + (1 - m) f(0)",
        "arithmetic.Arithmetic.cases arithmetic.Arithmetic.few_cases arithmetic.Arithmetic._at "
        "functions.Functions.by_cases",
    ),
    "mask-pieces": _identity(
        "f of pieces, piece by piece",
        "masks.Masks.pieces reading.covered functions.Functions.by_cases",
    ),
    "mask-whole": _identity("of whole n, g n + c > 0 is n > floor(-c / g)", "masks.Masks._whole"),
    "mask-whole-opposite": _identity(
        "of whole n, [n > 0] = 1 - [1 - n > 0]", "masks.Masks._whole_mask"
    ),
    "mask-locally-constant": _identity("a mask does not change off its kink", "derive.pull"),
    "mask-gradient": _identity("(m f)' = m f' off the kink", "derive._select derive._clamp"),
    "select": _identity("b + m (a - b)", "arithmetic.Arithmetic.select"),
    "logic": _identity("and, or, exclusive or of masks", "arithmetic.Arithmetic.either"),
    "threshold-above": _identity("[B > s] [B > t] = [B > max(s, t)]", "thresholds._joined"),
    "threshold-below": _identity("[B < s] [B < t] = [B < min(s, t)]", "thresholds._joined"),
    "threshold-equal": _identity("[B = s] [B = t] = 0 for s != t", "thresholds._joined"),
    "threshold-implied": _identity("[B = s] [B > t] is [B = s] or 0", "thresholds._joined"),
    "threshold-exclusive": _identity("[B > s] [B < t] = 0, t <= s", "thresholds._joined"),
    "threshold-line": _identity(
        "a mask of a + b B tests B",
        "thresholds.Thresholds.strongest thresholds.Thresholds._read",
    ),
    "threshold-range": _identity(
        "a range of B decides its masks", "thresholds.Thresholds._decided"
    ),
    "maximum-bounded": _identity("a - b >= 0 gives a", "masks.Masks._finite_maximum"),
    "maximum": _identity("b + [a > b] (a - b)", "masks.Masks._finite_maximum masks.Masks.maximum"),
    "maximum-commutes": _identity("max(a, b) = max(b, a)", "masks.Masks._finite_maximum"),
    "minimum": _identity("-max(-a, -b)", "masks.Masks.minimum"),
    "absolute": _identity("max(a, -a)", "masks.Masks.absolute masks.Masks.sign"),
    "extreme-maximum": _identity("off ties the winner gets g", "derive._extreme"),
    "extreme-minimum": _identity("off ties the winner gets g", "derive._extreme"),
    "selector": _identity("sum of [m = i] x[i] = x[m]", "windows.selector windows._choice"),
    "selector-scatter": _identity("its transpose", "windows.scatter_application"),
    "infinite-compare": _identity("x > y by finite parts and masks", "masks.Masks.compare"),
    "infinite-equal": _identity("x = y by finite parts and masks", "masks.Masks.compare"),
    "infinite-maximum": _identity("-inf gives way, +inf wins", "masks.Masks.maximum"),
    "infinite-sum": _identity("no two of opposite sign meet", "masks.Masks.sum"),
    "infinite-opposite": _identity("-(-inf) = +inf", "masks.Masks.opposite"),
    "window-first": _identity(
        "the first of the largest entries of a window wins, where later ones must be larger",
        "windows.selector windows._touches",
    ),
    "window-last": _identity(
        "the last one, where later ones must be as large", "windows.selector windows._touches"
    ),
    "window-value": _identity(
        "ties told either way, the winner is as large as the maximum", "windows.window_application"
    ),
    "window-order": _identity("[h >= n] = [h > n] + [h = n]", "windows._order"),
    "window-gradient": _identity(
        "off ties the transposed sum over the winners is the gradient",
        "windows.window_application derive.pulled",
    ),
    "window-border": _identity(
        "a border of -inf wins nowhere beside a finite entry", "windows._bordered_selector"
    ),
    "window-box": _identity(
        "a window of a border reads its inside as a window padded more",
        "windows._bordered_selector windows._box",
    ),
    "kink-one-per-line": _identity(
        "c x[e] + rest = 0 once on each line along x[e]",
        "generic.Generic._varies generic.Generic._free generic.Generic._avoids_at "
        "generic.Generic._reads_apart generic.Generic._may_read generic._apart atoms.Atoms.reached",
    ),
    "kink-injective": _identity(
        "f + rest = 0 once at most on each line along x[e], for f injective in x[e]",
        "generic.Generic._free",
    ),
    "injective": _identity(
        "c f + rest, exp f, ln f and s(f) are injective where f is",
        "generic.Generic._monotone",
    ),
    "kink-product": _identity(
        "a sum of products of entries has each value on a thin set", "generic.Generic._varies"
    ),
    "kink-analytic": _identity(
        "an analytic function that is not 0 somewhere is 0 on a thin set",
        "analytic.Analytic.vanishes_rarely",
    ),
    "kink-entire": _identity(
        "sums, products, exponentials … of analytic functions are analytic",
        "analytic.Analytic._search analytic.Analytic._is_entire_product",
    ),
    "kink-alike": _identity(
        "renumbering the inputs renumbers the value",
        "analytic.Analytic._places analytic.Analytic._is_even analytic.Analytic._search_even",
    ),
    "kink-without-roots": _identity("A + B = 0 gives A^n = (-B)^n", "analytic._without_roots"),
    "kink-cases": _identity(
        "a sum with masks is one of its cases",
        "generic.Generic._by_cases generic.Generic._opened generic.Generic._at",
    ),
    "kink-together": _identity("thin sets together are thin", "masks.Masks._zero"),
    "kink-no-interior": _identity("and hold no open set", "masks.Masks._zero"),
    # Powers and functions
    "power-gather": _identity("x^m x^n = x^(m + n)", "algebra.Algebra.product"),
    "power-gather-integer": _identity("whole exponents, x != 0", "algebra.Algebra.product"),
    "power-gather-real": _identity("real exponents, x > 0", "algebra.Algebra.product"),
    "power-gather-root": _identity("roots, x >= 0", "algebra.Algebra.product"),
    "power-one": _identity("x^1 = x, x >= 0", "algebra.simple algebra.Algebra.product"),
    "power-root": _identity("(x^(1/n))^n = x, x >= 0", "algebra.Algebra.product"),
    "power-product": _identity("(x y)^n = x^n y^n", "algebra.Algebra.monomial_power"),
    "power-product-root": _identity(
        "roots, x >= 0 and y >= 0",
        "algebra.Algebra.monomial_power algebra._powers powers.Powers._class_power",
    ),
    "power-inverse": _identity("1/(x y)^n = 1/x^n 1/y^n", "algebra.Algebra.monomial_power"),
    "power-even-root": _identity(
        "(f^2 P)^q = |f|^(2 q) P^q, P >= 0", "powers.Powers._denominator_power"
    ),
    "power-power": _identity("(x^p)^q = x^(p q), x > 0", "algebra.Algebra.monomial_power"),
    "power-power-whole": _identity("(x^m)^n = x^(m n)", "powers.Powers.power"),
    "power-odd": _identity(
        "0 <= x^n, n odd, gives 0 <= x", "algebra.Algebra._distributes algebra._is_odd"
    ),
    "power-base": _identity("c^q = c^floor(q) c^(q - floor(q))", "algebra.Algebra.product"),
    "sign-exponential": _identity("exp > 0", "atoms.Atoms._sign"),
    "sign-logistic": _identity("logistic > 0", "atoms.Atoms._sign"),
    "sign-pi": _identity("pi > 0", "atoms.Atoms._sign"),
    "sign-log": _identity("ln c > 0, c > 1", "atoms.Atoms._sign"),
    "sign-product": _identity("products of signs", "atoms.Atoms.product_sign"),
    "sign-even": _identity("x^(2 n) >= 0", "atoms.Atoms._power_sign"),
    "sign-root": _identity("a root is >= 0", "atoms.Atoms._power_sign"),
    "sign-sum": _identity("terms >= 0, one > 0", "atoms.Atoms.sum_sign"),
    "exp-sum": _identity("exp(a + b) = exp a exp b", "powers.Powers._finite_exponential"),
    "infinite-exponential": _identity("e^-inf = 0", "powers.Powers.exponential"),
    "exp-multiple": _identity("exp(c t) = exp(t)^c", "powers.Powers._exponential_term"),
    "exp-log": _identity(
        "exp(c ln x) = x^c, x > 0",
        "powers.Powers._exponential_term powers.Powers._argument",
    ),
    "log-product": _identity(
        "ln(a b) = ln a + ln b, a > 0, b > 0",
        "powers.Powers._log powers.Powers._scaled_log powers.Powers._log_number",
    ),
    "log-power": _identity("ln(a^q) = q ln a", "powers.Powers._log"),
    "log-exp": _identity("ln(exp a) = a", "powers.Powers._log_factor"),
    "log-sum-rest": _identity(
        "1 - T / C = (C - T) / C, C > 0",
        "logsums.LogSums._in_lowest_terms",
    ),
    "logistic-reflection": _identity(
        "s(-x) = 1 - s(x)", "functions.Functions._mirrored functions.Functions.logistic"
    ),
    "tanh-logistic": _identity("tanh x = 2 s(2 x) - 1", "functions.Functions.tanh"),
    "exp-times-logistic": _identity(
        "exp(u) s(u) = exp(u) - s(u)",
        "pointwise.Pointwise._unmixed pointwise.Pointwise._without_mixed",
    ),
    "logistic-power": _identity("(c (1 + e^u)^n)^-k", "powers.Powers._known_power"),
    "odd-zero": _identity("an odd function is 0 at 0", "functions.Functions.odd"),
    "odd-sine": _identity(
        "sin(-x) = -sin x", "functions.Functions._mirrored functions.Functions.odd"
    ),
    "odd-tan": _identity("tan", "functions.Functions.odd"),
    "odd-cbrt": _identity("cube root", "functions.Functions.odd"),
    "odd-asin": _identity("asin", "functions.Functions.odd"),
    "odd-atan": _identity("atan", "functions.Functions.odd"),
    "odd-asinh": _identity("asinh", "functions.Functions.odd"),
    "odd-atanh": _identity("atanh", "functions.Functions.odd"),
    "odd-erf": _identity("erf", "functions.Functions.odd"),
    "odd-inverse": _identity("the inverse of an odd function", "functions.Functions.odd"),
    "odd-truncate": _identity("truncation", "functions.Functions.odd"),
    "odd-round-away": _identity("rounding, ties away from 0", "functions.Functions.odd"),
    "odd-round-even": _identity("rounding, ties to even", "functions.Functions.odd"),
    "even-cosine": _identity("cos", "functions.Functions.cosine"),
    "hyperbolic": _identity("(e^x + e^-x) / 2", "powers.Powers.hyperbolic"),
    "truncate-whole": _identity("of whole numbers", "functions.Functions.truncated"),
    "whole-terms": _identity(
        "sums and products of whole numbers", "atoms.Atoms.integral_term atoms.Atoms.is_integral"
    ),
    "ceiling": _identity("ceil a = -floor(-a)", "functions.Functions.ceiling"),
    "remainder": _identity("a - b trunc(a / b)", "pointwise.Pointwise.remainder"),
    "clear-denominator": _identity(
        "A^n d = 0 is d = 0, A != 0", "clearing.cleared clearing.are_equal"
    ),
    "adjoint": _identity("one adjoint equation per value", "adjoint.Sweep.cotangents"),
}
