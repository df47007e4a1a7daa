(** The certifier's arithmetic of indices: guards on affine expressions, and digits. *)
From Coq Require Export ZArith Lia.
From Gradwright Require Export Sums.
From mathcomp Require Import div.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** Guards [low <= e < high] on whole numbers *)
Section Guards.
Local Open Scope Z_scope.
Implicit Types low high e u w g c : Z.

(** The least whole number that is at least a / g. *)
Definition quotient_up a g := - ((- a) / g).
Lemma quotient_up_spec a g u : 0 < g -> (a <= g * u <-> quotient_up a g <= u).
Proof.
move=> g0; rewrite /quotient_up; have E := Z.div_mod (- a) g ltac:(lia).
have B := Z.mod_pos_bound (- a) g g0; split=> H; nia.
Qed.
Lemma rule_guard_constant c e low high : low <= c + e < high <-> low - c <= e < high - c.
Proof. lia. Qed.
Lemma rule_guard_divisor g u low high : 0 < g ->
  (low <= g * u < high <-> quotient_up low g <= u < quotient_up high g).
Proof.
move=> g0; have := quotient_up_spec low u g0; have := quotient_up_spec high u g0; lia.
Qed.
Lemma rule_guard_sign u low high : low <= - u < high <-> 1 - high <= u < 1 - low.
Proof. lia. Qed.
Lemma rule_guard_meet e a b c d : a <= e < b /\ c <= e < d <-> Z.max a c <= e < Z.min b d.
Proof. lia. Qed.
(** Inside its bounds: a guard is clipped to them, holds everywhere, or nowhere. *)
Lemma rule_guard_clip e low high least greatest : least <= e <= greatest ->
  (low <= e < high <-> Z.max low least <= e < Z.min high (greatest + 1)).
Proof. lia. Qed.
Lemma rule_guard_always e low high least greatest : least <= e <= greatest ->
  low <= least -> greatest < high -> low <= e < high.
Proof. lia. Qed.
Lemma rule_guard_never e low high : high <= low -> ~ low <= e < high.
Proof. lia. Qed.
(** A guard on g u + w that every w admits with every admitted u only bounds u. *)
Lemma rule_guard_leading_digit g u w low high least greatest : 0 < g -> least <= w <= greatest ->
  let first := quotient_up (low - greatest) g in let last := (high - 1 - least) / g in
  low <= g * first + least -> g * last + greatest < high ->
  (low <= g * u + w < high <-> first <= u < last + 1).
Proof.
move=> g0 W first last F L; have Q := quotient_up_spec (low - greatest) u g0.
have E := Z.div_mod (high - 1 - least) g ltac:(lia); have B := Z.mod_pos_bound (high - 1 - least) g g0.
rewrite -/first in Q; rewrite -/last in E; split=> [H|[H1 H2]].
  by split; [apply: (Q.1); lia | nia].
by split; nia.
Qed.
(** An equation g u + w = low whose w has one value that leaves a multiple of g fixes both. *)
Lemma rule_guard_equation_digits g u w low least greatest : 0 < g -> least <= w <= greatest ->
  let lowest := least + (low - least) mod g in greatest < lowest + g ->
  (g * u + w = low <-> w = lowest /\ u = (low - lowest) / g).
Proof.
move=> g0 W lowest H; have B := Z.mod_pos_bound (low - least) g g0.
have E := Z.div_mod (low - least) g ltac:(lia).
have D : low - lowest = g * ((low - least) / g) by rewrite /lowest; lia.
have Q : (low - lowest) / g = (low - least) / g by rewrite D Z.mul_comm Z.div_mul //; lia.
rewrite Q; split=> [F|[-> ->]]; last by lia.
have K : g * (u - (low - least) / g) = lowest - w by lia.
have Z0 : u - (low - least) / g = 0 by rewrite /lowest in K H; nia.
by split; nia.
Qed.
(** Guards that together hold where others do, inside the box, may stand in their place, whatever
    further guards there are and in whatever order: so the rules above may be used one after the
    other. *)
Section Conjunction.
Variables (point : Type) (box : point -> Prop).
Implicit Types (gs : list ((point -> Z) * Z * Z)).
Definition met gs (p : point) : Prop := forall (e : point -> Z) low high, List.In (e, low, high) gs -> low <= e p < high.
Lemma rule_guard_conjunction gs gs' rest : (forall p, box p -> (met gs p <-> met gs' p)) ->
  forall p, box p -> (met (List.app gs rest) p <-> met (List.app gs' rest) p) /\
                     (met (List.app gs rest) p <-> met (List.app rest gs) p).
Proof.
move=> H p /H [A B]; have C (a b : list ((point -> Z) * Z * Z)) : met (List.app a b) p <-> met a p /\ met b p.
  split=> [M|[Ma Mb] e low high L]; last by have [K|K] := List.in_app_or _ _ _ L; [exact: Ma K | exact: Mb K].
  by split=> e low high L; apply: M; apply: List.in_or_app; [left | right].
by rewrite !C; tauto.
Qed.
End Conjunction.
(** An affine expression lies between the sums of the ends that its coefficients point to. *)
Fixpoint affine (terms : list (Z * Z)) : Z := match terms with
  | nil => 0 | (k, x) :: rest => k * x + affine rest end.
Fixpoint ends (terms : list (Z * Z)) : Z * Z := match terms with
  | nil => (0, 0)
  | (k, n) :: rest => let (low, high) := ends rest in
      if 0 <? k then (low, high + k * (n - 1)) else (low + k * (n - 1), high) end.
Lemma rule_affine_bounds (ks xs ns : list Z) :
  List.Forall2 (fun x n => 0 <= x < n) xs ns -> length ks = length xs ->
  let (low, high) := ends (List.combine ks ns) in low <= affine (List.combine ks xs) <= high.
Proof.
move=> H; elim: H ks => {xs ns} [|x n xs ns Hx _ IH] [|k ks] //=.
move=> [L].
have P1 : 0 < k -> 0 <= k * x /\ k * x <= k * (n - 1) by nia.
have P2 : k <= 0 -> k * (n - 1) <= k * x /\ k * x <= 0 by nia.
by have := IH ks L; case: (ends _) => low high; case: Z.ltb_spec => Hk /= B; [have := P1 Hk | have := P2 Hk]; lia.
Qed.
End Guards.

(** The opposite of a guard is the guards on both sides of it. *)
Definition guard (low high e : Z) : R := if Z.leb low e && Z.ltb e high then 1 else 0.
Lemma rule_guard_opposite low high e least greatest : (least <= e <= greatest)%Z -> (low <= high)%Z ->
  1 - guard low high e = guard least low e + guard high (greatest + 1) e.
Proof.
rewrite /guard => H L.
by case: Z.leb_spec; case: Z.ltb_spec; case: Z.leb_spec; case: Z.ltb_spec => /=; repeat (case: Z.leb_spec => /= ?); repeat (case: Z.ltb_spec => /= ?); move=> *; try lra; lia.
Qed.
(** Two intervals that meet are one. *)
Lemma rule_guard_join low middle high e : (low <= middle <= high)%Z ->
  guard low middle e + guard middle high e = guard low high e.
Proof.
rewrite /guard => H.
by repeat (case: Z.leb_spec => /= ?); repeat (case: Z.ltb_spec => /= ?); move=> *; try lra; lia.
Qed.
(** Of whole numbers, e > 0 is 1 <= e, and e = 0 is 0 <= e < 1; a positive factor changes nothing. *)
Lemma rule_coordinate_guard (q : R) (e bound : Z) : 0 < q -> (e < bound)%Z ->
  (if Rlt_dec 0 (q * IZR e) then 1 else 0) = guard 1 bound e.
Proof.
move=> q0 B; rewrite /guard; have M : Z.ltb e bound by exact/Z.ltb_spec0.
rewrite M andbT; case: Rlt_dec => /= H; case: Z.leb_spec => /= L //.
  have /IZR_le E : (e <= 0)%Z by lia.
  by nra.
by case: H; have /IZR_le E := L; apply: Rmult_lt_0_compat => //; lra.
Qed.

(** Where a guard fixes an index, it may be put in its place. *)
Lemma rule_guard_fixed (F : Z -> R) (low e : Z) : guard low (low + 1) e * F e = guard low (low + 1) e * F low.
Proof.
rewrite /guard; case: Z.leb_spec => /= A; last by ring.
by case: Z.ltb_spec => /= B; [have -> : e = low by [lia] | ring].
Qed.

(** ** Digits: a number below m n is one pair of digits below m and n *)
Lemma digits_lt m n (u : 'I_m) (w : 'I_n) : (u * n + w < m * n)%N.
Proof.
apply: (@leq_trans (u * n + n)%N); first by rewrite ltn_add2l.
by rewrite -mulSnr leq_mul2r ltn_ord orbT.
Qed.
Definition radix m n (uw : 'I_m * 'I_n) : 'I_(m * n) := Ordinal (digits_lt uw.1 uw.2).
Lemma high_lt m n (i : 'I_(m * n)) : (i %/ n < m)%N.
Proof. by case: n i => [|n] i; [case: i => i; rewrite muln0 | rewrite ltn_divLR // ltn_ord]. Qed.
Lemma low_lt m n (i : 'I_(m * n)) : (i %% n < n)%N.
Proof. by case: n i => [|n] i; [case: i => i; rewrite muln0 | rewrite ltn_mod]. Qed.
Definition digits m n (i : 'I_(m * n)) : 'I_m * 'I_n := (Ordinal (high_lt i), Ordinal (low_lt i)).
Lemma radixK m n : cancel (@radix m n) (@digits m n).
Proof.
move=> [u w]; rewrite /digits /radix; congr (_, _); apply: val_inj => /=.
  by rewrite divnMDl ?divn_small ?addn0 ?ltn_ord //; case: n w => [[]|].
by rewrite modnMDl modn_small ?ltn_ord.
Qed.
Lemma digitsK m n : cancel (@digits m n) (@radix m n).
Proof. by move=> i; apply: val_inj; rewrite /= -divn_eq. Qed.
Theorem rule_digits m n : bijective (@radix m n).
Proof. by exists (@digits m n); [exact: radixK | exact: digitsK]. Qed.
(** Splitting a digit again splits the number: the order of splitting does not matter, so that a
    reshape in row-major order only regroups digits. *)
Lemma rule_digits_regroup (k m n u v w : nat) :
  ((u * m + v) * n + w)%N = (u * (m * n) + (v * n + w))%N.
Proof. by rewrite mulnDl -mulnA addnA. Qed.
Theorem rule_reshape m n (x : 'I_(m * n) -> R) i : x i = x (radix (digits i)).
Proof. by rewrite digitsK. Qed.
Theorem rule_sum_digits m n (F : 'I_(m * n) -> R) :
  \rsum_i F i = \rsum_(u : 'I_m) \rsum_(w : 'I_n) F (radix (u, w)).
Proof.
rewrite pair_bigA /= (reindex (@radix m n)) /=; last by apply: onW_bij; exact: rule_digits.
by apply: eq_bigr => -[].
Qed.
