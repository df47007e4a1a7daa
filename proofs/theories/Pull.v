(** The certifier's derivative rules, one theorem for each operation that has one. *)
From Gradwright Require Export Slopes Contract.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** [pull_OP] reads: at operands that meet the conditions, the operation OP is differentiable and
    the function of the cotangent [g] stated there is its vector-Jacobian product. *)

Section Unary.
Variables (I : finType) (x : tensor I).
Notation pulls f s := (has_vjp (map1 f) x (fun g i => g i * s i)).

Theorem pull_negate : pulls Ropp (fun=> -1).
Proof. by apply: pull1 => i; auto_derive. Qed.
Theorem pull_exponential : pulls exp (fun i => exp (x i)).
Proof. by apply: pull1 => i; exact: d_exp. Qed.
Theorem pull_exponential_minus_one : pulls (fun t => exp t - 1) (fun i => exp (x i)).
Proof. by apply: pull1 => i; exact: d_expm1. Qed.
Theorem pull_log : (forall i, 0 < x i) -> pulls ln (fun i => / x i).
Proof. by move=> H; apply: pull1 => i; exact: d_ln. Qed.
Theorem pull_log_plus_one : (forall i, 0 < x i + 1) -> pulls (fun t => ln (t + 1)) (fun i => / (x i + 1)).
Proof. by move=> H; apply: pull1 => i; exact: d_log1p. Qed.
Theorem pull_tanh : pulls tanh (fun i => 1 - tanh (x i) * tanh (x i)).
Proof. by apply: (pull1 (s := fun i => 1 - tanh (x i) * tanh (x i))) => i; exact: d_tanh. Qed.
Theorem pull_logistic : pulls logistic (fun i => logistic (x i) * (1 - logistic (x i))).
Proof. by apply: (pull1 (s := fun i => logistic (x i) * (1 - logistic (x i)))) => i; exact: d_logistic. Qed.
Theorem pull_sine : pulls sin (fun i => cos (x i)).
Proof. by apply: pull1 => i; exact: d_sin. Qed.
Theorem pull_cosine : pulls cos (fun i => - sin (x i)).
Proof. by apply: pull1 => i; exact: d_cos. Qed.
Theorem pull_tan : (forall i, cos (x i) <> 0) -> pulls tan (fun i => 1 + tan (x i) * tan (x i)).
Proof. by move=> H; apply: (pull1 (s := fun i => 1 + tan (x i) * tan (x i))) => i; exact: d_tan. Qed.
Theorem pull_sqrt : (forall i, 0 < x i) -> pulls sqrt (fun i => / (2 * sqrt (x i))).
Proof. by move=> H; apply: (pull1 (s := fun i => / (2 * sqrt (x i)))) => i; exact: d_sqrt. Qed.
Theorem pull_rsqrt : (forall i, 0 < x i) ->
  pulls rsqrt (fun i => - / 2 * (rsqrt (x i) * rsqrt (x i) * rsqrt (x i))).
Proof.
move=> H; apply: (pull1 (s := fun i => - / 2 * (rsqrt (x i) * rsqrt (x i) * rsqrt (x i)))) => i.
exact: d_rsqrt.
Qed.
Theorem pull_cbrt : (forall i, x i <> 0) -> pulls cbrt (fun i => / 3 * / (cbrt (x i) * cbrt (x i))).
Proof. by move=> H; apply: (pull1 (s := fun i => / 3 * / (cbrt (x i) * cbrt (x i)))) => i; exact: d_cbrt. Qed.
Theorem pull_abs : (forall i, x i <> 0) -> pulls Rabs (fun i => signum (x i)).
Proof. by move=> H; apply: (pull1 (s := fun i => signum (x i))) => i; exact: d_abs. Qed.
Theorem pull_square : pulls (fun t => t * t) (fun i => 2 * x i).
Proof. by apply: (pull1 (f := fun t => t * t) (s := fun i => 2 * x i)) => i; auto_derive => //; ring. Qed.
Theorem pull_sinh : pulls sinh (fun i => cosh (x i)).
Proof. by apply: pull1 => i; exact: d_sinh. Qed.
Theorem pull_cosh : pulls cosh (fun i => sinh (x i)).
Proof. by apply: pull1 => i; exact: d_cosh. Qed.
Theorem pull_asin : (forall i, -1 < x i < 1) -> pulls asin (fun i => / sqrt (1 - x i * x i)).
Proof. by move=> H; apply: (pull1 (s := fun i => / sqrt (1 - x i * x i))) => i; exact: d_asin. Qed.
Theorem pull_acos : (forall i, -1 < x i < 1) -> pulls acos (fun i => - / sqrt (1 - x i * x i)).
Proof. by move=> H; apply: (pull1 (s := fun i => - / sqrt (1 - x i * x i))) => i; exact: d_acos. Qed.
Theorem pull_atan : pulls atan (fun i => / (1 + x i * x i)).
Proof. by apply: (pull1 (s := fun i => / (1 + x i * x i))) => i; exact: d_atan. Qed.
Theorem pull_asinh : pulls arcsinh (fun i => / sqrt (1 + x i * x i)).
Proof. by apply: (pull1 (s := fun i => / sqrt (1 + x i * x i))) => i; exact: d_asinh. Qed.
Theorem pull_acosh : (forall i, 1 < x i) -> pulls acosh (fun i => / sqrt (x i - 1) * / sqrt (x i + 1)).
Proof.
move=> H; apply: (pull1 (s := fun i => / sqrt (x i - 1) * / sqrt (x i + 1))) => i.
have A : 0 < x i - 1 by have := H i; lra.
have B : 0 < x i + 1 by have := H i; lra.
have S := sqrt_lt_R0 _ A; have T := sqrt_lt_R0 _ B.
have := d_acosh (H i); rewrite (_ : x i * x i - 1 = (x i - 1) * (x i + 1)); last by ring.
by rewrite sqrt_mult ?Rinv_mult_distr //; lra.
Qed.
Theorem pull_atanh : (forall i, -1 < x i < 1) -> pulls atanh (fun i => / (1 - x i * x i)).
Proof. by move=> H; apply: (pull1 (s := fun i => / (1 - x i * x i))) => i; exact: d_atanh. Qed.
Theorem pull_erf : pulls erf (fun i => 2 / sqrt PI * exp (- (x i * x i))).
Proof. by apply: (pull1 (s := fun i => 2 / sqrt PI * exp (- (x i * x i)))) => i; exact: d_erf. Qed.
Theorem pull_erfc : pulls (fun t => 1 - erf t) (fun i => - (2 / sqrt PI * exp (- (x i * x i)))).
Proof.
apply: (pull1 (f := fun t => 1 - erf t) (s := fun i => - (2 / sqrt PI * exp (- (x i * x i))))) => i.
have := is_derive_minus (fun _ => 1) erf _ _ _ (is_derive_const 1 (x i)) (d_erf (x i)).
by rewrite /minus plus_zero_l.
Qed.
(** For any continuous inverse h of erf. *)
Theorem pull_erf_inv (h : R -> R) (low high : R) :
  (forall i, low < x i < high) -> (forall i, continuity_pt h (x i)) ->
  (forall t, low <= t <= high -> erf (h t) = t) ->
  pulls h (fun i => / 2 * (sqrt PI * exp (h (x i) * h (x i)))).
Proof.
move=> B C E; apply: (pull1 (f := h) (s := fun i => / 2 * (sqrt PI * exp (h (x i) * h (x i))))) => i.
exact: (d_erf_inv (B i) (C i) E).
Qed.
(** Powers with a constant exponent: whole ones everywhere (0 excepted where negative), others on x > 0. *)
Theorem pull_power_whole (n : nat) : pulls (fun t => t ^ n) (fun i => INR n * x i ^ n.-1).
Proof.
apply: (pull1 (f := fun t => t ^ n) (s := fun i => INR n * x i ^ n.-1)) => i.
by have := is_derive_pow id n (x i) 1 (is_derive_id (x i)); rewrite Rmult_1_r.
Qed.
Theorem pull_power_negative (n : nat) : (forall i, x i <> 0) ->
  pulls (fun t => / t ^ n) (fun i => - INR n * / x i ^ n.+1).
Proof.
move=> H; apply: (pull1 (f := fun t => / t ^ n) (s := fun i => - INR n * / x i ^ n.+1)) => i.
have P := is_derive_pow id n (x i) 1 (is_derive_id (x i)).
have Q : x i ^ n <> 0 by exact: pow_nonzero.
have := is_derive_inv (fun t => t ^ n) (x i) _ P Q; congr is_derive.
case: n P Q => [|n] _ Q; rewrite /id /=; first by field; have := H i; lra.
have X := pow_nonzero _ n (H i); rewrite -/(INR n.+1); move: (INR n.+1) => r; field.
by split=> //; exact: H.
Qed.
Theorem pull_power_constant (c : R) : (forall i, 0 < x i) ->
  pulls (fun t => Rpower t c) (fun i => c * Rpower (x i) (c - 1)).
Proof.
move=> H; apply: (pull1 (f := fun t => Rpower t c) (s := fun i => c * Rpower (x i) (c - 1))) => i.
apply/is_derive_Reals; exact: derivable_pt_lim_power.
Qed.
(** What jumps has no slope elsewhere. *)
Theorem pull_sign : (forall i, x i <> 0) -> pulls signum (fun=> 0).
Proof. by move=> H; apply: pull1 => i; exact: d_sign. Qed.
Theorem pull_floor : (forall i, ~ whole (x i)) -> pulls floorR (fun=> 0).
Proof. by move=> H; apply: pull1 => i; apply: d_flat; exact: floor_near. Qed.
Theorem pull_ceil : (forall i, ~ whole (x i)) -> pulls ceilR (fun=> 0).
Proof. by move=> H; apply: pull1 => i; apply: d_flat; exact: ceil_near. Qed.
Theorem pull_round_nearest_even : (forall i, ~ whole (x i + / 2)) -> pulls round_even (fun=> 0).
Proof. by move=> H; apply: pull1 => i; apply: d_flat; exact: round_even_near. Qed.
Theorem pull_round_nearest_afz : (forall i, ~ whole (x i + / 2)) -> pulls round_away (fun=> 0).
Proof. by move=> H; apply: pull1 => i; apply: d_flat; exact: round_away_near. Qed.
Theorem pull_is_finite : pulls (fun _ => 1) (fun=> 0).
Proof. by apply: pull1 => i; exact: is_derive_const. Qed.
(** Roundings count as the identity. *)
Theorem pull_reduce_precision : has_vjp (fun y : tensor I => y) x (fun g => g).
Proof. exact: vjp_id. Qed.
Theorem pull_convert : has_vjp (fun y : tensor I => y) x (fun g => g).
Proof. exact: vjp_id. Qed.
Theorem pull_optimization_barrier : has_vjp (fun y : tensor I => y) x (fun g => g).
Proof. exact: vjp_id. Qed.
End Unary.

Section Binary.
Variables (I : finType) (x y : tensor I).
Notation pulls2 f a b := (has_vjp2 (map2 f) x y (fun g i => g i * a i) (fun g i => g i * b i)).

Theorem pull_add : pulls2 Rplus (fun=> 1) (fun=> 1).
Proof. by apply: pull2 => i; exact: slopes_plus. Qed.
Theorem pull_subtract : pulls2 Rminus (fun=> 1) (fun=> -1).
Proof. by apply: pull2 => i; exact: slopes_minus. Qed.
Theorem pull_multiply : pulls2 Rmult y x.
Proof. by apply: pull2 => i; exact: slopes_mult. Qed.
Theorem pull_divide : (forall i, y i <> 0) -> pulls2 Rdiv (fun i => / y i) (fun i => - (x i / y i * / y i)).
Proof. by move=> H; apply: pull2 => i; exact: slopes_div. Qed.
Theorem pull_power : (forall i, 0 < x i) ->
  let z i := exp (y i * ln (x i)) in
  pulls2 (fun a b => exp (b * ln a)) (fun i => y i * (z i * / x i)) (fun i => z i * ln (x i)).
Proof. by move=> H; apply: pull2 => i; exact: slopes_power. Qed.
(** Off ties: one operand has the whole cotangent, by the mask of its losing, or of its winning. *)
Notation mask_of P := (if P then 1 else 0).
Lemma loses_or_wins (a b : R) : a <> b -> 1 - mask_of (Rlt_dec 0 (a - b)) = mask_of (Rlt_dec 0 (b - a)).
Proof. by move=> H; case: Rlt_dec => /= ?; case: Rlt_dec => /= ?; lra. Qed.
Lemma has_vjp2_eq f a b a' b' : (forall i, a i = a' i) -> (forall i, b i = b' i) -> pulls2 f a b -> pulls2 f a' b'.
Proof. by move=> /functional_extensionality -> /functional_extensionality ->. Qed.
Theorem pull_maximum : (forall i, x i <> y i) ->
  let loses i := mask_of (Rlt_dec 0 (y i - x i)) in let wins i := mask_of (Rlt_dec 0 (x i - y i)) in
  pulls2 Rmax (fun i => 1 - loses i) loses /\ pulls2 Rmax wins (fun i => 1 - wins i).
Proof.
move=> H /=; have P := pull2 (f := Rmax) (fun i => slopes_max (H i)); split=> //.
by apply: has_vjp2_eq P => i; rewrite loses_or_wins //; have := H i; lra.
Qed.
Theorem pull_minimum : (forall i, x i <> y i) ->
  let loses i := mask_of (Rlt_dec 0 (x i - y i)) in let wins i := mask_of (Rlt_dec 0 (y i - x i)) in
  pulls2 Rmin (fun i => 1 - loses i) loses /\ pulls2 Rmin wins (fun i => 1 - wins i).
Proof.
move=> H /=; have P := pull2 (f := Rmin) (fun i => slopes_min (H i)); split=> //.
by apply: has_vjp2_eq P => i; rewrite loses_or_wins //; have := H i; lra.
Qed.
Theorem pull_remainder : (forall i, y i <> 0) -> (forall i, ~ whole (x i / y i)) ->
  pulls2 remainder (fun=> 1) (fun i => - truncate (x i / y i)).
Proof. by move=> H W; apply: pull2 => i; exact: slopes_remainder. Qed.
Theorem pull_atan2 : (forall i, 0 < y i \/ x i <> 0) ->
  pulls2 atan2 (fun i => y i * / (x i * x i + y i * y i)) (fun i => - (x i * / (x i * x i + y i * y i))).
Proof.
move=> H; apply: (pull2 (f := atan2) (a := fun i => y i * / (x i * x i + y i * y i))
  (b := fun i => - (x i * / (x i * x i + y i * y i)))) => i; exact: slopes_atan2.
Qed.
(** A comparison does not change near operands that differ. *)
Theorem pull_compare (f : R -> R) : (forall t, t <> 0 -> locally t (fun s => f s = f t)) ->
  (forall i, x i <> y i) -> pulls2 (fun a b => f (a - b)) (fun=> 0) (fun=> 0).
Proof.
move=> L H; apply: pull2 => i; apply: slopes_constant.
have [d D] := L (x i - y i) ltac:(have := H i; lra).
have P : 0 < d / 2 by have := cond_pos d; lra.
apply: near_mono (near_pair (x i) (y i) P) => z [/Rabs_def2 ? /Rabs_def2 ?]; apply: D.
by rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /=; apply: Rabs_def1; lra.
Qed.
End Binary.

(** Booleans that do not change near a point are combined to one that does not. *)
Section Logic.
Variables (S I : finType) (s : tensor S) (m p : tensor S -> tensor I).
Hypotheses (Hm : locally_constant m s) (Hp : locally_constant p s).
Lemma locally_constant2 (f : R -> R -> R) : locally_constant (fun s => map2 f (m s) (p s)) s.
Proof. by apply: near_mono (near_and Hm Hp) => z [A B] i; rewrite /map2 A B. Qed.
Theorem pull_and : has_vjp (fun s => map2 Rmult (m s) (p s)) s (fun _ _ => 0).
Proof. exact: pull_locally_constant (locally_constant2 _). Qed.
Theorem pull_or : has_vjp (fun s => map2 (fun a b => a + b - a * b) (m s) (p s)) s (fun _ _ => 0).
Proof. exact: pull_locally_constant (locally_constant2 (fun a b => a + b - a * b)). Qed.
Theorem pull_xor : has_vjp (fun s => map2 (fun a b => a + b - 2 * (a * b)) (m s) (p s)) s (fun _ _ => 0).
Proof. exact: pull_locally_constant (locally_constant2 (fun a b => a + b - 2 * (a * b))). Qed.
Theorem pull_not : has_vjp (fun s => map1 (fun a => 1 - a) (m s)) s (fun _ _ => 0).
Proof. exact: pull_locally_constant (locally_constant2 (fun a _ => 1 - a)). Qed.
(** A choice by a mask hands the cotangent to the side that is chosen. *)
Theorem pull_select (f h : tensor S -> tensor I) bf bh : has_vjp f s bf -> has_vjp h s bh ->
  has_vjp (fun s i => m s i * f s i + (1 - m s i) * h s i) s
    (fun g k => bf (fun i => m s i * g i) k + bh (fun i => g i - m s i * g i) k).
Proof.
move=> [A [HA EA]] [B [HB EB]].
apply: (has_vjp_ext_near (f := fun z i => m s i * f z i + (1 - m s i) * h z i)).
  by apply: near_mono Hm => z E i; rewrite E.
exists (fun i k => m s i * A i k + (1 - m s i) * B i k); split=> [i|g k].
  exact: is_grad_lin2 (HA i) (HB i).
by rewrite EA EB -sumD; apply: eq_bigr => i _; ring.
Qed.
End Logic.

(** Between constant bounds, off both: the cotangent passes where the number lies inside. *)
Lemma d_clamp low high t : t <> low -> t <> high ->
  is_derive (fun t => Rmin (Rmax t low) high) t
    ((if Rlt_dec (Rmax t low) high then 1 else 0) * (if Rlt_dec low t then 1 else 0)).
Proof.
case: (Rlt_dec low high) => [lh|nlh] tl th; last first.
  have E s : Rmin (Rmax s low) high = high by apply: Rmin_right; have := Rmax_r s low; lra.
  have -> : (if Rlt_dec (Rmax t low) high then 1 else 0) = 0.
    by case: Rlt_dec => //= ?; have := Rmax_r t low; lra.
  by rewrite Rmult_0_l; apply: (is_derive_ext (fun=> high)) => [s|]; [rewrite E | exact: is_derive_const].
pose d := Rmin (Rabs (t - low)) (Rabs (t - high)).
have d0 : 0 < d by apply: Rmin_glb_lt; apply: Rabs_pos_lt; lra.
have H s : Rabs (s - t) < d -> Rabs (s - t) < Rabs (t - low) /\ Rabs (s - t) < Rabs (t - high).
  by move=> S; split; apply: Rlt_le_trans S _; [exact: Rmin_l | exact: Rmin_r].
case: (Rlt_dec low t) => A; last first.
  rewrite Rmult_0_r; apply: d_flat; apply: (locally_of d0) => s /H []; rewrite (Rabs_left (t - low)); last lra.
  by move=> /Rabs_def2 [? ?] _; rewrite !(Rmax_right _ low) //; lra.
rewrite Rmax_left; last lra; case: Rlt_dec => B; last first.
  rewrite Rmult_0_l; apply: d_flat; apply: (locally_of d0) => s /H [_]; rewrite (Rabs_right (t - high)); last lra.
  move=> /Rabs_def2 [? ?]; rewrite !(Rmax_left _ low); try lra; rewrite !Rmin_right //; lra.
rewrite Rmult_1_l; apply: (is_derive_ext_loc (fun s => s)); last exact: is_derive_id.
exists (mkposreal d d0) => s S; have [] := H s S; rewrite (Rabs_right (t - low)) ?(Rabs_left (t - high)); try lra.
move=> /Rabs_def2 [? ?] /Rabs_def2 [? ?]; rewrite Rmax_left ?Rmin_left //; lra.
Qed.
Theorem pull_clamp (I : finType) (x : tensor I) low high :
  (forall i, x i <> low) -> (forall i, x i <> high) ->
  has_vjp (map1 (fun t => Rmin (Rmax t low) high)) x (fun g i =>
    g i * ((if Rlt_dec (Rmax (x i) low) high then 1 else 0) * (if Rlt_dec low (x i) then 1 else 0))).
Proof.
move=> A B; apply: (pull1 (f := fun t => Rmin (Rmax t low) high)
  (s := fun i => (if Rlt_dec (Rmax (x i) low) high then 1 else 0) * (if Rlt_dec low (x i) then 1 else 0))) => i.
exact: d_clamp.
Qed.
