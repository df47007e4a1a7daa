(** Null sets: which inputs are left out where a comparison with 0 is read as false. *)
From Coq Require Import Classical.
From Gradwright Require Export Entire KinkRules.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** No interval is countable: it holds a number that is not on the list. *)
Section Uncountable.
Variables (u : nat -> R) (a b : R).
Hypothesis ab : a < b.
Fixpoint thirds (n : nat) : R * R := match n with
  | 0%nat => ((2 * a + b) / 3, (a + 2 * b) / 3)
  | S m => let: (p, q) := thirds m in
      if Rlt_dec (u m) ((p + q) / 2) then ((p + 2 * q) / 3, q) else (p, (2 * p + q) / 3) end.
Let low n := (thirds n).1.
Let high n := (thirds n).2.
Lemma thirds_step n : low n < high n ->
  low n <= low n.+1 /\ low n.+1 < high n.+1 /\ high n.+1 <= high n /\ ~ low n.+1 <= u n <= high n.+1.
Proof.
rewrite /low /high /=; case: (thirds n) => p q /= pq.
by case: Rlt_dec => /= ?; repeat split; lra.
Qed.
Lemma thirds_open n : low n < high n.
Proof. by elim: n => [|n /thirds_step [_ []] //]; rewrite /low /high /=; lra. Qed.
Lemma thirds_nested m n : low m <= low (m + n)%N /\ high (m + n)%N <= high m.
Proof.
elim: n => [|n [A B]]; first by rewrite addn0; lra.
by have [C [_ [D _]]] := thirds_step (thirds_open (m + n)); rewrite addnS; lra.
Qed.
Lemma missed : exists t, a < t < b /\ forall n, u n <> t.
Proof.
have B m n : low m <= high n.
  have [A _] := thirds_nested m n; have [_ C] := thirds_nested n m; rewrite addnC in C.
  by have := thirds_open (m + n); lra.
have U : bound (fun x => exists n, x = low n) by exists (high 0) => x [n ->].
have [t [up least]] := completeness _ U (ex_intro _ (low 0) (ex_intro _ 0%N erefl)).
have J n : low n <= t <= high n.
  by split; [apply: up; exists n | apply: least => x [k ->]].
exists t; split; first by have := J 0%N; rewrite /low /high /=; lra.
by move=> n E; have [_ [_ [_]]] := thirds_step (thirds_open n); rewrite E; case.
Qed.
End Uncountable.

(** ** Thin sets
    [few A]: the numbers in A are countably many.  [thin order N x]: beginning at x, for all but
    countably many values of the first entry in the order, for all but countably many values of the
    second, and so on, the tensor is not in N.  Where the order names every entry, x does not
    matter; by Tonelli's theorem, which is not formalised here, a Borel set that is thin in some
    order has measure 0. *)
Definition does_not_read (I : finType) (f : tensor I -> R) (e : I) : Prop := forall x t, f (upd x e t) = f x.
Section Thin.
Variable I : finType.
Implicit Types (N M : tensor I -> Prop) (x y : tensor I) (order : seq I).
Fixpoint thin order N x : Prop := match order with
  | [::] => ~ N x
  | e :: rest => few (fun t => ~ thin rest N (upd x e t)) end.

Lemma thin_sub order N M x : (forall y, N y -> M y) -> thin order M x -> thin order N x.
Proof.
move=> NM; elim: order x => [|e r IH] x /=; first by move=> H /NM.
by apply: few_sub => t H K; apply: H; exact: IH.
Qed.
Lemma thin_or order N M x : thin order N x -> thin order M x -> thin order (fun y => N y \/ M y) x.
Proof.
elim: order x => [|e r IH] x /=; first by move=> A B [].
move=> A B; apply: few_sub (few_or A B) => t H; apply: NNPP => K.
by have [/NNPP A' /NNPP B'] := not_or_and _ _ K; apply: H; exact: IH.
Qed.
(** The kinks of a proof together: finitely many thin sets are a thin set. *)
Theorem rule_kink_together (K : finType) order (N : K -> tensor I -> Prop) x :
  (forall k, thin order (N k) x) -> thin order (fun y => exists k, N k y) x.
Proof.
move=> H; suff S (s : seq K) : thin order (fun y => exists2 k, k \in s & N k y) x.
  by apply: thin_sub (S (enum K)) => y [k Nk]; exists k; rewrite ?mem_enum.
elim: s => [|k s IH].
  apply: (thin_sub (M := fun=> False)) => [y [] //|].
  elim: order {H} x => [|e r IH'] x //=.
  by apply: few_sub (few_one 0) => t []; exact: IH'.
by apply: thin_sub (thin_or (H k) IH) => y [k']; rewrite inE => /orP [/eqP ->|]; [left | right; exists k'].
Qed.
Lemma thin_start order N x y : (forall i, i \notin order -> x i = y i) -> thin order N x -> thin order N y.
Proof.
elim: order x y => [|e r IH] x y /= E.
  by have -> : x = y by apply: functional_extensionality => i; exact: E.
apply: few_sub => t H K; apply: H; apply: IH K => i ir; rewrite /upd.
by case: eqP => // ie; apply: E; rewrite inE negb_or ir andbT; apply/eqP.
Qed.
(** Every box, however small, holds tensors that are not in a thin set. *)
Lemma thin_avoided order N (a b x : tensor I) : (forall i, a i < b i) -> thin order N x ->
  exists y, ~ N y /\ forall i, if i \in order then a i < y i < b i else y i = x i.
Proof.
move=> ab; elim: order x => [|e r IH] x /=; first by move=> H; exists x.
case=> u H; have [t [T F]] := missed u (ab e).
have K : thin r N (upd x e t) by apply: NNPP => /H [n]; exact: F.
have [y [Ny Hy]] := IH _ K; exists y; split=> // i; have := Hy i; rewrite inE.
by case: (i \in r); rewrite ?orbT ?orbF // /upd; case: eqP => // -> ->.
Qed.
Theorem rule_kink_no_interior order N x : (forall i, i \in order) -> thin order N x -> forall z, ~ near z N.
Proof.
move=> all_in T z [d [d0 H]]; pose w := d / (INR #|I| + 1).
have P := pos_INR #|I|; have w0 : 0 < w by apply: Rdiv_lt_0_compat; lra.
have [y [Ny Hy]] := thin_avoided (fun i => ltac:(lra) : z i - w < z i + w) T.
apply: Ny; apply: H; apply: (Rle_lt_trans _ (\rsum_(i : I) w)).
  by apply: sum_le => i _; have := Hy i; rewrite all_in => -[A B]; apply: Rabs_le; rewrite /diff; lra.
rewrite sum_const /w; have -> : INR #|I| * (d / (INR #|I| + 1)) = d - d / (INR #|I| + 1) by field; lra.
by rewrite -/w; lra.
Qed.

(** c x[e] + rest = 0, where nothing but that term reads the entry e, is thin in any order that
    ends with e. *)
Theorem rule_kink_one_per_line (rest : tensor I -> R) (e : I) (c : R) : c <> 0 -> does_not_read rest e ->
  forall order x, thin (rcons order e) (fun y => c * y e + rest y = 0) x.
Proof.
move=> c0 H; elim=> [|e' r IH] x /=; last by apply: few_sub (few_one 0) => t []; exact: IH.
apply: few_sub (few_one (- rest x / c)) => t /NNPP; rewrite H /upd eqxx => E.
by apply: (Rmult_eq_reg_l c) => //; field_simplify => //; lra.
Qed.
(** The same of a function that takes no value twice along the entry e, where it is defined. *)
Definition injective_in (f : tensor I -> R) (e : I) (D : tensor I -> Prop) : Prop :=
  forall x s t, D (upd x e s) -> D (upd x e t) -> f (upd x e s) = f (upd x e t) -> s = t.
Theorem rule_kink_injective (f rest : tensor I -> R) (e : I) (D : tensor I -> Prop) :
  injective_in f e D -> does_not_read rest e ->
  forall order x, thin (rcons order e) (fun y => D y /\ f y + rest y = 0) x.
Proof.
move=> F H; elim=> [|e' r IH] x /=; last by apply: few_sub (few_one 0) => t []; exact: IH.
case: (classic (exists s, D (upd x e s) /\ f (upd x e s) + rest (upd x e s) = 0)) => [[s [Ds Es]]|N].
  apply: few_sub (few_one s) => t /NNPP [Dt Et]; apply: (F x) => //.
  by move: Es Et; rewrite !H; lra.
by apply: few_sub (few_one 0) => t /NNPP K; case: N; exists t.
Qed.
(** Such are an entry itself, multiples with a rest that does not read it, and functions that are
    strictly monotone. *)
Theorem rule_injective (f rest : tensor I -> R) (e : I) (D : tensor I -> Prop) (c : R) :
  injective_in (fun y => y e) e D /\
  (injective_in f e D ->
    (c <> 0 -> does_not_read rest e -> injective_in (fun y => c * f y + rest y) e D) /\
    injective_in (fun y => exp (f y)) e D /\ injective_in (fun y => logistic (f y)) e D /\
    injective_in (fun y => ln (f y)) e (fun y => D y /\ 0 < f y)).
Proof.
split=> [x s t _ _|F]; first by rewrite /upd eqxx.
split=> [c0 H x s t Ds Dt|]; first rewrite !H => E.
  by apply: (F x) => //; apply: (Rmult_eq_reg_l c) => //; lra.
split=> [x s t Ds Dt /exp_inv|]; first exact: F.
split=> [x s t Ds Dt|x s t [Ds Ps] [Dt Pt] /(ln_inv _ _ Ps Pt)]; last exact: F.
rewrite /logistic => E; apply: (F x) => //.
have P u : 0 < 1 + exp (- u) by have := exp_pos (- u); lra.
have : / / (1 + exp (- f (upd x e s))) = / / (1 + exp (- f (upd x e t))) by rewrite E.
rewrite !Rinv_inv => K; have /exp_inv : exp (- f (upd x e s)) = exp (- f (upd x e t)) by lra.
by lra.
Qed.
(** The zeros of a function that is analytic in each entry, and not 0 somewhere, are thin in any
    order of the entries. *)
Theorem rule_kink_analytic (f : tensor I -> R) (x0 : tensor I) : analytic_in_entries f -> f x0 <> 0 ->
  forall order x, (forall i, i \in order) -> thin order (fun y => f y = 0) x.
Proof.
move=> A N order x all_in; apply: (@thin_start _ _ x0) => [i|]; first by rewrite all_in.
elim: order {all_in} x0 N => [|e r IH] x0 N //=.
apply: few_sub (analytic_zeros (A x0 e) (t := x0 e) _); last by rewrite upd_id.
by move=> t H; apply: NNPP => K; apply: H; exact: IH.
Qed.
End Thin.

(** Where A + B is 0, so is A^n - (-B)^n, in which a common n-th root in the terms of B is none any more. *)
Theorem rule_kink_without_roots (A B : R) (n : nat) : A + B = 0 -> A ^ n - (- B) ^ n = 0.
Proof. by move=> E; have -> : - B = A by [lra]; ring. Qed.
(** A sum with masks is, case by case of the masks, one of finitely many sums. *)
Theorem rule_kink_cases (I K : finType) order (f : tensor I -> R) (g : K -> tensor I -> R) x :
  (forall y, exists k, f y = g k y) -> (forall k, thin order (fun y => g k y = 0) x) ->
  thin order (fun y => f y = 0) x.
Proof.
move=> H /rule_kink_together; apply: thin_sub => y E; have [k Ek] := H y.
by exists k; rewrite -Ek.
Qed.
(** A sum of products of entries, over all points: it has each value on a thin set only. *)
Theorem rule_kink_product (Q K I : finType) (r : K -> Q -> I) (c : R) : (0 < #|Q|)%N -> (0 < #|K|)%N ->
  forall order x, (forall i, i \in order) -> thin order (fun y : tensor I => \rsum_q \rprod_k y (r k q) = c) x.
Proof.
move=> Q0 /card_gt0P [k0 _] order x all_in.
pose f (y : tensor I) := \rsum_(b : bool) (if b then \rsum_q \rprod_k y (r k q) else - c).
have fE y : f y = \rsum_q \rprod_k y (r k q) + - c by rewrite /f big_bool.
have E : entire f.
  apply: entire_sum => -[|]; last exact: entire_number.
  by apply: entire_sum => q; apply: entire_product => k; exact: entire_entry.
have at0 : f (fun=> 0) = - c.
  by rewrite fE sum0 ?Rplus_0_l // => q _; rewrite (bigD1 k0) //= Rmult_0_l.
have at1 : f (fun=> 1) = INR #|Q| - c.
  rewrite fE (eq_bigr (fun=> 1)) ?sum_const => [|q _]; first ring.
  by elim/big_rec: _ => // k u _ ->; ring.
have P : 0 < INR #|Q| by apply: lt_0_INR; apply/ltP.
have [x0 N] : exists x0, f x0 <> 0.
  by case: (Req_dec c 0) => [C|C]; [exists (fun=> 1); rewrite at1; lra | exists (fun=> 0); rewrite at0; lra].
apply: thin_sub (rule_kink_analytic (rule_kink_entire E) N x all_in) => y H; rewrite fE; lra.
Qed.

(** ** Indices of one extent are alike
    Where every index is a variable over a whole extent, renumbering one extent throughout the inputs
    renumbers the value: being 0 for all inputs is then the same at indices that are renumbered into
    each other, and one of them needs to be looked at. *)
Section Alike.
Variables (A J : finType) (sigma : J -> J).
Hypothesis bij : bijective sigma.
Notation inputs := (A -> seq J -> R).
Notation family := ((nat -> J) -> inputs -> R).
Definition bind (env : nat -> J) (v : nat) (k : J) : nat -> J := fun w => if w == v then k else env w.
Inductive whole_indices : family -> Prop :=
  | whole_entry a (vs : seq nat) : whole_indices (fun env x => x a [seq env v | v <- vs])
  | whole_number c : whole_indices (fun _ _ => c)
  | whole_plus F G : whole_indices F -> whole_indices G -> whole_indices (fun env x => F env x + G env x)
  | whole_times F G : whole_indices F -> whole_indices G -> whole_indices (fun env x => F env x * G env x)
  | whole_function (phi : R -> R) F : whole_indices F -> whole_indices (fun env x => phi (F env x))
  | whole_sum (P : pred J) v F : (forall k, P (sigma k) = P k) -> whole_indices F ->
      whole_indices (fun env x => \rsum_(k | P k) F (bind env v k) x).
Definition renumbered (x : inputs) : inputs := fun a s => x a [seq sigma k | k <- s].
Lemma whole_indices_alike F : whole_indices F ->
  forall env x, F (fun v => sigma (env v)) x = F env (renumbered x).
Proof.
elim=> {F} [a vs|c|F G _ IF _ IG|F G _ IF _ IG|phi F _ IH|P v F HP _ IH] env x //.
- by rewrite /renumbered -map_comp.
- by rewrite IF IG.
- by rewrite IF IG.
- by rewrite IH.
rewrite (reindex sigma) /=; last by apply: onW_bij.
apply: eq_big => [k|k _]; first exact: HP.
by rewrite -IH; congr F; apply: functional_extensionality => w; rewrite /bind; case: eqP.
Qed.
Theorem rule_kink_alike F env : whole_indices F -> (exists x, F env x <> 0) -> exists x, F (fun v => sigma (env v)) x <> 0.
Proof.
move=> /whole_indices_alike H [x N]; have [tau ts st] := bij.
exists (fun a s => x a [seq tau k | k <- s]); rewrite H.
suff -> : renumbered (fun a s => x a [seq tau k | k <- s]) = x by [].
apply: functional_extensionality => a; apply: functional_extensionality => s.
by rewrite /renumbered -map_comp map_id_in // => k _ /=; rewrite ts.
Qed.
End Alike.
