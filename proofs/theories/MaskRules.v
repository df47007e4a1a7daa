(** The certifier's identities of masks: comparisons, choices, thresholds, extremes and infinities. *)
From Gradwright Require Export Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** [positive P] is [P > 0] as a number, 1 or 0; likewise the others. *)
Definition positive (P : R) : R := if Rlt_dec 0 P then 1 else 0.
Definition negative (P : R) : R := if Rlt_dec P 0 then 1 else 0.
Definition zero (P : R) : R := if Req_EM_T P 0 then 1 else 0.
Definition is_mask (m : R) : Prop := m = 0 \/ m = 1.

Ltac cases := rewrite /positive /negative /zero; repeat (case: Rlt_dec => ? /=); repeat (case: Req_EM_T => ? /=);
  try lra; try nra.

Lemma positive_mask P : is_mask (positive P). Proof. rewrite /is_mask; cases. Qed.
Lemma negative_mask P : is_mask (negative P). Proof. rewrite /is_mask; cases. Qed.
Lemma zero_mask P : is_mask (zero P). Proof. rewrite /is_mask; cases. Qed.

Theorem rule_mask_values P : is_mask (positive P) /\ is_mask (negative P) /\ is_mask (zero P).
Proof. by split; [|split]; [exact: positive_mask | exact: negative_mask | exact: zero_mask]. Qed.
Theorem rule_mask_idempotent m n : is_mask m -> m ^ n.+1 = m.
Proof. by case=> ->; rewrite ?pow1 //= ?Rmult_0_l. Qed.
Theorem rule_mask_exclusive P :
  positive P * negative P = 0 /\ positive P * zero P = 0 /\ negative P * zero P = 0.
Proof. by cases. Qed.
Theorem rule_mask_zero_product P n : P ^ n.+1 * zero P = 0.
Proof. by rewrite /zero; case: Req_EM_T => [E|_] /=; rewrite ?E; ring. Qed.
Theorem rule_mask_scale c P : (0 < c -> positive (c * P) = positive P) /\ (c <> 0 -> zero (c * P) = zero P).
Proof. by split=> H; cases. Qed.
Theorem rule_mask_opposite P : positive (- P) = 1 - positive P - zero P.
Proof. by cases. Qed.
Theorem rule_mask_less P : negative P = positive (- P).
Proof. by cases. Qed.
Theorem rule_mask_of_positive P : 0 < P -> positive P = 1 /\ positive (- P) = 0 /\ zero P = 0.
Proof. by move=> H; split; cases. Qed.
(** Comparisons are masks of the difference; the negated ones are complements. *)
Definition compare (holds : bool) : R := if holds then 1 else 0.
Theorem rule_mask_difference a b :
  compare (Rlt_dec b a) = positive (a - b) /\ compare (Rlt_dec a b) = positive (b - a) /\
  compare (Req_EM_T a b) = zero (a - b).
Proof. by rewrite /compare; repeat split; rewrite /positive /zero; repeat (case: Rlt_dec => ? /=); repeat (case: Req_EM_T => ? /=); lra. Qed.
Theorem rule_mask_complement (holds : bool) : compare (~~ holds) = 1 - compare holds.
Proof. by case: holds => /=; rewrite /compare; ring. Qed.
Theorem rule_logic (p q : bool) :
  compare (p && q) = compare p * compare q /\
  compare (p || q) = compare p + compare q - compare p * compare q /\
  compare (p (+) q) = compare p + compare q - 2 * (compare p * compare q).
Proof. by case: p; case: q; rewrite /compare /=; repeat split; ring. Qed.
(** A choice by a mask, and any function of a value with a mask in it, by the cases of the mask. *)
Theorem rule_select (holds : bool) a b : (if holds then a else b) = b + compare holds * (a - b).
Proof. by case: holds; rewrite /compare; ring. Qed.
Theorem rule_mask_cases (f : R -> R) m : is_mask m -> f m = m * f 1 + (1 - m) * f 0.
Proof. by case=> ->; ring. Qed.

(** A value that is one of several pieces, by marks of which one is 1. *)
Theorem rule_mask_pieces (K : finType) (k0 : K) (g P : K -> R) (f : R -> R) : (forall k, g k = delta k k0) ->
  f (\rsum_k g k * P k) = \rsum_k g k * f (P k).
Proof.
move=> H; rewrite (eq_bigr (fun k => delta k k0 * P k)) => [|k _]; last by rewrite H.
rewrite [RHS](eq_bigr (fun k => delta k k0 * f (P k))) => [|k _]; last by rewrite H.
by rewrite sum_deltal (sum_deltal (fun k => f (P k))).
Qed.

(** ** Several thresholds of one value *)
Theorem rule_threshold_above B s t : positive (B - s) * positive (B - t) = positive (B - Rmax s t).
Proof. by rewrite /Rmax; case: Rle_dec => ?; cases. Qed.
Theorem rule_threshold_below B s t : negative (B - s) * negative (B - t) = negative (B - Rmin s t).
Proof. by rewrite /Rmin; case: Rle_dec => ?; cases. Qed.
Theorem rule_threshold_equal B s t : zero (B - s) * zero (B - t) = if Req_EM_T s t then zero (B - s) else 0.
Proof. by case: Req_EM_T => ?; cases. Qed.
Theorem rule_threshold_implied B s t :
  zero (B - s) * positive (B - t) = (if Rlt_dec t s then zero (B - s) else 0) /\
  zero (B - s) * negative (B - t) = (if Rlt_dec s t then zero (B - s) else 0).
Proof. by split; case: Rlt_dec => ?; cases. Qed.
Theorem rule_threshold_exclusive B s t : t <= s -> positive (B - s) * negative (B - t) = 0.
Proof. by move=> ?; cases. Qed.
(** A mask of offset + slope B tests B against a number, from the other side where slope < 0. *)
Theorem rule_threshold_line offset slope B :
  (0 < slope -> positive (offset + slope * B) = positive (B - - offset / slope)) /\
  (slope < 0 -> positive (offset + slope * B) = negative (B - - offset / slope)) /\
  (slope <> 0 -> zero (offset + slope * B) = zero (B - - offset / slope)).
Proof.
have E : slope <> 0 -> offset + slope * B = slope * (B - - offset / slope) by move=> ?; field.
split; [|split] => H; rewrite E; try lra; move: (B - - offset / slope) => u; cases.
Qed.

(** What a hypothesis says of B decides its masks. *)
Theorem rule_threshold_range B low high t : low <= B <= high ->
  (t < low -> positive (B - t) = 1 /\ zero (B - t) = 0) /\ (high <= t -> positive (B - t) = 0) /\
  (high < t -> negative (B - t) = 1 /\ zero (B - t) = 0) /\ (t <= low -> negative (B - t) = 0) /\
  (low = t -> high = t -> zero (B - t) = 1).
Proof. by move=> H; repeat split; move=> *; cases. Qed.

(** ** Extremes *)
Theorem rule_maximum_bounded a b : (0 <= a - b -> Rmax a b = a) /\ (a - b <= 0 -> Rmax a b = b).
Proof. by split=> ?; [rewrite Rmax_left; lra | rewrite Rmax_right; lra]. Qed.
Theorem rule_maximum a b : Rmax a b = b + positive (a - b) * (a - b).
Proof. by rewrite /Rmax; case: Rle_dec => ?; cases. Qed.
Theorem rule_minimum a b : Rmin a b = - Rmax (- a) (- b).
Proof. by rewrite /Rmin /Rmax; case: Rle_dec => ?; case: Rle_dec => ?; lra. Qed.
Theorem rule_absolute a : Rabs a = Rmax a (- a).
Proof. by rewrite /Rabs /Rmax; case: Rcase_abs => ?; case: Rle_dec => ?; lra. Qed.
Theorem rule_maximum_commutes a b : Rmax a b = Rmax b a.
Proof. exact: Rmax_comm. Qed.

(** ** Infinite entries, as a finite part and the masks of being -inf and +inf *)
Inductive parts : Rbar -> R -> R -> R -> Prop :=
  | Finite_parts (a : R) : parts (Finite a) a 0 0
  | Below_parts : parts m_infty 0 1 0
  | Above_parts : parts p_infty 0 0 1.
Definition finite_mask below above : R := 1 - below - above.
Theorem rule_infinite_compare x y a b a' b' c c' : parts x a b c -> parts y a' b' c' ->
  compare (Rbar_lt_dec y x) =
  positive (a - a') * (finite_mask b c * finite_mask b' c') + c * (1 - c') + (1 - b) * b' - c * b'.
Proof.
by case=> [u||]; case=> [v||]; rewrite /compare /finite_mask; case: Rbar_lt_dec => /= H; cases; tauto.
Qed.
Theorem rule_infinite_equal x y a b a' b' c c' : parts x a b c -> parts y a' b' c' ->
  (x = y -> 1 = zero (a - a') * (finite_mask b c * finite_mask b' c') + c * c' + b * b') /\
  (x <> y -> 0 = zero (a - a') * (finite_mask b c * finite_mask b' c') + c * c' + b * b').
Proof.
case=> [u||]; case=> [v||]; rewrite /finite_mask; split=> // H; try (by case: H); cases.
  by case: H => E; lra.
by case: H; congr Finite; lra.
Qed.
(** -inf leaves a maximum to the other operand; +inf wins it. *)
Definition Rbar_max (x y : Rbar) : Rbar := match x, y with
  | p_infty, _ | _, p_infty => p_infty | m_infty, z | z, m_infty => z
  | Finite a, Finite b => Finite (Rmax a b) end.
Theorem rule_infinite_maximum x y a b a' b' c c' : parts x a b c -> parts y a' b' c' ->
  parts (Rbar_max x y)
    (Rmax a a' * (finite_mask b c * finite_mask b' c') + a * finite_mask b c * b' + a' * finite_mask b' c' * b)
    (b * b') (c + c' - c * c').
Proof.
have P z u v w u' v' w' : parts z u v w -> u = u' -> v = v' -> w = w' -> parts z u' v' w' by move=> H <- <- <-.
rewrite /finite_mask; case=> [u||]; case=> [v||] /=; apply: P; try constructor; ring.
Qed.
(** A sum with an infinite entry, where none of the other sign meets it. *)
Theorem rule_infinite_sum x y a b a' b' c c' : parts x a b c -> parts y a' b' c' ->
  b * c' = 0 -> c * b' = 0 ->
  parts (Rbar_plus x y) ((a + a') * (finite_mask b c * finite_mask b' c')) (b + b' - b * b') (c + c' - c * c').
Proof.
have P z u v w u' v' w' : parts z u v w -> u = u' -> v = v' -> w = w' -> parts z u' v' w' by move=> H <- <- <-.
rewrite /finite_mask; case=> [u||]; case=> [v||] /= A B; try (exfalso; lra); apply: P; try constructor; ring.
Qed.
Theorem rule_infinite_opposite x a b c : parts x a b c -> parts (Rbar_opp x) (- a) c b.
Proof.
by case=> [u||] /=; rewrite ?Ropp_0; constructor.
Qed.
