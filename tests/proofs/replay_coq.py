"""The Coq file of a replay."""

from collections.abc import Iterator

from gradwright.hlo import Operation
from gradwright.hlo import attributes as attr
from proofs.replay import (
    UNMATCHED,
    Replay,
    UnreadableError,
    constant,
    contraction,
    extent,
    index_set,
    picked,
    summed,
)

HEAD = """(** A forward text and its backward, replayed at extents of any size. *)
From Gradwright Require Import Replay.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
"""


def written(replay: Replay) -> str:
    """Return the file."""
    return "\n".join((HEAD, *_Writer(replay).lines()))


def _identifier(name: str) -> str:
    return "t_" + name.replace(".", "_")


class _Writer:
    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.n = replay.count
        self.last = self.n - 1
        self.arity = f"{self.n} ix _"
        self.rectified = [
            o.operands[0].name for o in replay.operations if o.opcode == "stablehlo.maximum"
        ]

    def lines(self) -> Iterator[str]:
        yield from self._values()
        yield from self._code()
        yield from map(self._definition, self.replay.backward.values())
        yield from self._adjoints()
        yield from self._lemmas()
        yield from map(self._same, self.replay.operations)
        yield from map(self._equation, self.replay.numbers)
        yield from self._equations()
        yield from map(self._theorem, (v.name for v in self.replay.arguments))
        yield "End Replay."

    def _values(self) -> Iterator[str]:
        shapes = self.replay.shapes()
        sets = " ".join(map(extent, sorted({d for shape in shapes for d in shape})))
        yield f"Section Replay.\nVariables ({sets} : finType)."
        yield "Definition ix (v : nat) : finType := match v with"
        for (name, i), shape in zip(self.replay.numbers.items(), shapes, strict=True):
            yield f"  | {i} => {index_set(shape)} (* {name} *)"
        yield "  | _ => unit_finType end."
        for i in range(self.n):
            yield f"Definition v{i} : 'I_{self.n} := @Ordinal {self.n} {i} isT."
        yield f"Notation S := (state {self.n} ix)."
        yield f"Variable y : tensor {index_set(self.replay.cotangent.shape)}."

    def _code(self) -> Iterator[str]:
        numbers = self.replay.numbers
        arms: list[int] = []
        for operation in self.replay.operations:
            i = numbers[operation.results[0].name]
            arms.append(i)
            does = self._instruction(operation)
            yield f"Definition c_{i} : instr {self.n} ix (ix v{i}) := {does}."
        arms.append(self.last)
        yield (
            f"Definition c_{self.last} : instr {self.n} ix (ix v{self.last}) := @Op1 {self.arity} "
            f"v{numbers[self.replay.output]} (fun z _ => \\rsum_q y q * z q) "
            "(fun _ g q => y q * g tt)."
        )
        kind = f"instr {self.n} ix (ix k)"
        yield f"Definition code (v : 'I_{self.n}) := match nat_of_ord v as k return {kind} with"
        yield from (f"  | {i} => c_{i}" for i in arms)
        yield f"  | _ => In {self.arity} end."

    def _instruction(self, operation: Operation) -> str:
        numbers = self.replay.numbers
        known = [f"v{numbers[v.name]}" for v in operation.operands if v.name in numbers]
        match operation.opcode:
            case "stablehlo.dot_general":
                c = contraction(operation)
                return (
                    f"@Op2 {self.arity} {known[0]} {known[1]} "
                    f"({c.maps(c.result, c.left, c.right)}) "
                    f"(fun a b => {c.maps(c.left, c.right, c.result)} b) "
                    f"(fun a b => {c.maps(c.right, c.left, c.result)} a)"
                )
            case "stablehlo.add":
                return (
                    f"@Op2 {self.arity} {known[0]} {known[1]} (fun a b i => a i + b i) "
                    "(fun _ _ g => g) (fun _ _ g => g)"
                )
            case "stablehlo.broadcast_in_dim":
                read, domain = self._broadcast(operation)
                return (
                    f"@Op1 {self.arity} {known[0]} (fun z (q : {domain}) => z {read}) "
                    f"(fun _ g i => \\rsum_(q : {domain} | {read} == i) g q)"
                )
            case "stablehlo.maximum" if self._is_zero(operation.operands[1].name):
                return (
                    f"@Op1 {self.arity} {known[0]} (fun z i => relu (z i)) "
                    "(fun x g i => if Rlt_dec 0 (x i) then g i else 0)"
                )
            case "stablehlo.tanh":
                return (
                    f"@Op1 {self.arity} {known[0]} (map1 tanh) "
                    "(fun x g i => g i * (1 - tanh (x i) * tanh (x i)))"
                )
            case _:
                raise UnreadableError(operation.opcode)

    def _is_zero(self, name: str) -> bool:
        known = self.replay.constants.get(name)
        return known is not None and constant(known) == "(0)"

    @staticmethod
    def _broadcast(operation: Operation) -> tuple[str, str]:
        a, shape = operation.attributes, operation.results[0].shape
        assert isinstance(a, attr.BroadcastInDim)
        return picked("q", a.dimensions, len(shape)), index_set(shape)

    def _ref(self, name: str) -> str:
        if name == self.replay.cotangent.name:
            return "y"
        if name == UNMATCHED:
            return "(fun _ => 0)"
        if name in {v.name for v in self.replay.arguments}:
            return f"(get v{self.replay.numbers[name]} s)"
        return f"({_identifier(name)} s)"

    def _definition(self, operation: Operation) -> str:
        [result] = operation.results
        head = f"Definition {_identifier(result.name)} (s : tensor S)"
        return f"{head} : tensor {index_set(result.shape)} := {self._body(operation)}."

    def _body(self, operation: Operation) -> str:
        read = [self._ref(v.name) for v in operation.operands]
        signs = {"add": "+", "subtract": "-", "multiply": "*"}
        match operation.opcode.partition(".")[2]:
            case "constant":
                return f"fun _ => {constant(operation)}"
            case "dot_general":
                return contraction(operation).of(read[0], read[1])
            case "add" | "subtract" | "multiply" as name:
                return f"fun q => {read[0]} q {signs[name]} {read[1]} q"
            case "tanh":
                return f"map1 tanh {read[0]}"
            case "maximum":
                return f"fun q => Rmax ({read[0]} q) ({read[1]} q)"
            case "broadcast_in_dim":
                return f"fun q => {read[0]} {self._broadcast(operation)[0]}"
            case "reduce":
                inner = operation.operands[0].shape
                kept = picked("q", summed(operation), len(inner))
                start = f"{read[1]} tt"
                return (
                    f"fun i => {start} + \\rsum_(q : {index_set(inner)} | {kept} == i) {read[0]} q"
                )
            case "compare":
                a = operation.attributes
                assert isinstance(a, attr.Compare)
                order = {attr.Direction.GT: (1, 0), attr.Direction.LT: (0, 1)}
                if a.direction not in order:
                    raise UnreadableError(f"the comparison {a.direction.value}")
                low, high = (read[i] for i in order[a.direction])
                return f"fun q => if Rlt_dec ({low} q) ({high} q) then 1 else 0"
            case "select":
                return f"fun q => if Rlt_dec 0 ({read[0]} q) then {read[1]} q else {read[2]} q"
            case name:
                raise UnreadableError(name)

    def _adjoints(self) -> Iterator[str]:
        yield f"Definition adj (s : tensor S) (v : 'I_{self.n}) : tensor (ix v) :="
        yield "  match nat_of_ord v as k return tensor (ix k) with"
        for name, i in self.replay.numbers.items():
            yield f"  | {i} => {self._ref(self.replay.adjoints[name])}"
        yield "  | _ => fun _ => 1 end.\nArguments adj : clear implicits."

    def _lemmas(self) -> Iterator[str]:
        n, names = self.n, range(self.n)
        yield f"Lemma code_scoped (v : 'I_{n}) : scoped v (code v)."
        yield f"Proof. by case: v; do {n}?[case=> //]. Qed."
        premises = " -> ".join(f"P v{i}" for i in names)
        cases = "\n".join(
            f"case: k => [H|k]; first by rewrite (_ : Ordinal H = v{i}) //; exact: val_inj."
            for i in names
        )
        moved = " ".join(f"p{i}" for i in names)
        yield f"Lemma allv (P : 'I_{n} -> Prop) : {premises} -> forall v, P v."
        yield f"Proof.\nmove=> {moved} [k H]; move: H.\n{cases}\nby [].\nQed."
        yield "Definition args (k : nat) : seq nat := match k with"
        for operation in self.replay.operations:
            read = [
                str(self.replay.numbers[v.name])
                for v in operation.operands
                if v.name in self.replay.numbers
            ]
            i = self.replay.numbers[operation.results[0].name]
            yield f"  | {i} => [:: {'; '.join(read)}]%N"
        output = self.replay.numbers[self.replay.output]
        yield f"  | {self.last} => [:: {output}]%N | _ => [::] end."
        yield f"Lemma argsP (w : 'I_{n}) u : reads (code w) u -> u \\in args w."
        yield "Proof. by move: w; apply: allv => //=; rewrite !inE ![u == _]eq_sym. Qed."
        yield f"Notation L := (@at_ {n} ix v{self.last} tt)."
        yield "Section At.\nVariable s : tensor S."
        yield (
            "Notation rhs v i := (delta (at_ (v := v) i) L + "
            "\\rsum_w back (code w) s (adj s w) (at_ (v := v) i))."
        )
        yield f"Lemma apart (v : 'I_{n}) (i : ix v) : v != v{self.last} -> delta (at_ i) L = 0."
        yield "Proof."
        yield "by move=> /eqP H; rewrite /delta; case: eqP => // /(congr1 (@tag _ _)) /= /H."
        yield "Qed."
        yield "Hypothesis ran : forall v, ~~ is_in (code v) -> get v s = eval (code v) s."
        for name in self.rectified:
            i = self.replay.numbers[name]
            yield f"Hypothesis kink_{i} : forall i, get v{i} s i <> 0."
        proofs: list[str] = []
        for i in names:
            opcode = self._opcode(i)
            if opcode is None:
                proofs.append("exact: I")
                continue
            yield f"Lemma ok_{i} : ok (code v{i}) s."
            yield f"Proof. change (ok c_{i} s); {_RULES[opcode]}. Qed."
            proofs.append(f"exact: ok_{i}")
        yield "Lemma code_ok v : ok (code v) s."
        yield f"Proof. move: v; apply: allv; [{' | '.join(proofs)}]. Qed."

    def _opcode(self, i: int) -> str | None:
        first = len(self.replay.arguments)
        if i < first:
            return None
        return "against" if i == self.last else self.replay.operations[i - first].opcode

    def _same(self, operation: Operation) -> str:
        """The backward text computes the forward values anew: they are the same."""
        name = operation.results[0].name
        i = self.replay.numbers[name]
        if name not in self.replay.backward:
            return (
                f"Lemma ev_{i} : get v{i} s = eval c_{i} s.\nProof. exact: (ran (v := v{i})). Qed."
            )
        before = [
            f"same_{self.replay.numbers[v.name]}"
            for v in operation.operands
            if self.replay.numbers.get(v.name, 0) >= len(self.replay.arguments)
        ]
        zero = [
            f"/{_identifier(v.name)}"
            for v in operation.operands
            if v.name not in self.replay.numbers
        ]
        return (
            f"Lemma ev_{i} : get v{i} s = eval c_{i} s.\nProof. exact: (ran (v := v{i})). Qed.\n"
            f"Lemma same_{i} : {_identifier(name)} s = get v{i} s.\n"
            f"Proof. by rewrite ev_{i} /{_identifier(name)} {' '.join((*before, *zero))}. Qed."
        )

    def _equation(self, name: str) -> str:
        i = self.replay.numbers[name]
        readers = [self.replay.numbers[o.results[0].name] for o in self.replay.readers(name)]
        if name == self.replay.output:
            readers.append(self.last)
        users = "; ".join(f"v{u}" for u in readers)
        opened = " ".join(
            f"[back (code v{u}) _ _ _](_ : _ = back c_{u} s (adj s v{u}) (at_ i)) //"
            for u in readers
        )
        unfolded = " ".join(f"/c_{u}" for u in readers)
        return (
            f"Lemma adj_{i} (i : ix v{i}) : adj s v{i} i = rhs v{i} i.\n"
            f"Proof.\nrewrite apart // (sum_users argsP s (adj s) i (us := [:: {users}]));"
            " last by vm_compute.\n"
            f"rewrite !big_cons big_nil {opened}; rewrite /back {unfolded}; put_simpl.\n"
            f"rewrite ?Rplus_0_r ?Rplus_0_l /adj /= {self._unfolding(name)}; close_eq.\nQed."
        )

    def _unfolding(self, name: str) -> str:
        """What a cotangent is made of, up to other cotangents and forward values."""
        keep = {*self.replay.adjoints.values(), *self.replay.numbers}
        keep.discard(self.replay.adjoints[name])
        shared = [m for m, a in self.replay.adjoints.items() if a == self.replay.adjoints[name]]
        if shared[0] != name:
            return ""
        words: list[str] = []
        constants: list[str] = []
        pending = [self.replay.adjoints[name]]
        while pending:
            here = pending.pop()
            operation = self.replay.backward.get(here)
            if operation is None or here in keep or f"/{_identifier(here)}" in words:
                continue
            if operation.opcode == "stablehlo.constant":
                constants.append(f"/{_identifier(here)}")
            words.append(f"/{_identifier(here)}")
            pending += [v.name for v in operation.operands]
        same = [
            f"?same_{self.replay.numbers[o.results[0].name]}"
            for o in self.replay.operations
            if o.results[0].name in self.replay.backward
        ]
        nonlinear = [
            f"?ev_{self.replay.numbers[o.results[0].name]}"
            for o in self.replay.readers(name)
            if o.opcode in ("stablehlo.maximum", "stablehlo.tanh")
        ]
        return " ".join((*words, *constants, *same, *nonlinear, "/= ?Rplus_0_l"))

    def _equations(self) -> Iterator[str]:
        yield f"Lemma adj_last (i : ix v{self.last}) : adj s v{self.last} i = rhs v{self.last} i."
        yield (
            "Proof. rewrite (sum_users argsP s (adj s) i (us := [::])); last by vm_compute.\n"
            "by case: i; rewrite big_nil /delta eqxx /adj /=; ring. Qed."
        )
        yield f"Lemma adj_eq (v : 'I_{self.n}) (i : ix v) : adj s v i = rhs v i."
        each = " | ".join(f"exact: adj_{i}" for i in self.replay.numbers.values())
        yield f"Proof. move: v i; apply: allv; [{each} | exact: adj_last]. Qed.\nEnd At."

    def _theorem(self, name: str) -> str:
        i = self.replay.numbers[name]
        kinks = [self.replay.numbers[other] for other in self.rectified]
        conditions = " ".join(f"(forall i, get v{k} s i <> 0) ->" for k in kinks)
        named = " ".join(f"K{k}" for k in kinks)
        claimed = self._ref(self.replay.adjoints[name])
        grad = f"module_grad code_scoped (p := v{i}) (th := th) (z := z) isT"
        # Coq leaves a hypothesis out of the lemmas that do not use it.
        closed = [
            (ok, eq) for ok in (f"code_ok {named}", "code_ok s") for eq in ("adj_eq R", "adj_eq s")
        ]
        return (
            f"Theorem gradient_of_{name.replace('.', '_')} (th : tensor S)"
            f" (z : tensor (ix v{i})) :\n"
            f"  let s := run code (set th z) in {conditions}\n"
            f"  is_grad (fun z => run code (set (p := v{i}) th z) L) z {claimed}.\n"
            f"Proof.\nmove=> s {named}.\n"
            "have R v : ~~ is_in (code v) -> get v s = eval (code v) s"
            " by exact: (get_run code_scoped).\n"
            f"first [{' | '.join(f'exact: ({grad} ({ok}) ({eq}))' for ok, eq in closed)}].\nQed."
        )


_RULES = {
    "stablehlo.dot_general": "exact: vjp2_contract",
    "stablehlo.add": "exact: vjp2_add",
    "stablehlo.broadcast_in_dim": "exact: vjp_reindex",
    "stablehlo.maximum": "exact: vjp_relu",
    "stablehlo.tanh": "exact: pull_tanh",
    "against": "exact: vjp_against",
}
"""The theorem of the library that each operation is an instance of."""
