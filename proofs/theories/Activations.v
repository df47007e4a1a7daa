(** Slopes of the remaining activations, off their kinks. *)
From Gradwright Require Export Pull.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section Smooth.
Variable x : R.
Lemma d_softplus : is_derive (fun t => ln (1 + exp t)) x (logistic x).
Proof.
have P := exp_pos x; rewrite /logistic; auto_derive; first lra.
by rewrite exp_Ropp; field; lra.
Qed.
Lemma d_gelu_erf : is_derive (fun t => t * (1 + erf (t / sqrt 2)) / 2) x
  ((1 + erf (x / sqrt 2)) / 2 + x * exp (- (x * x / 2)) / sqrt (2 * PI)).
Proof.
have S2 : 0 < sqrt 2 by apply: sqrt_lt_R0; lra.
have SP : 0 < sqrt PI by apply: sqrt_lt_R0; exact: PI_RGT_0.
have Q : sqrt 2 * sqrt 2 = 2 by apply: sqrt_sqrt; lra.
have I : is_derive (fun t => t / sqrt 2) x (/ sqrt 2) by auto_derive => //; field; lra.
have E := is_derive_comp erf (fun t => t / sqrt 2) x _ _ (d_erf (x / sqrt 2)) I.
have A : is_derive (fun t => 1 + erf (t / sqrt 2)) x (/ sqrt 2 * (2 / sqrt PI * exp (- (x / sqrt 2 * (x / sqrt 2))))).
  by have := is_derive_plus (fun _ => 1) _ x _ _ (is_derive_const 1 x) E; rewrite plus_zero_l.
have L : is_derive (fun t => t / 2) x (/ 2) by auto_derive => //; field.
have := is_derive_mult (fun t => t / 2) _ x _ _ L A (fun a b => Rmult_comm a b).
rewrite /plus /mult /= => M; apply: (is_derive_ext (fun t => t / 2 * (1 + erf (t / sqrt 2)))).
  by move=> t; change (t / 2 * (1 + erf (t / sqrt 2)) = t * (1 + erf (t / sqrt 2)) / 2); field; lra.
have X2 : x / sqrt 2 * (x / sqrt 2) = x * x / 2.
  by transitivity (x * x / (sqrt 2 * sqrt 2)); [field; lra | rewrite Q].
have P2 : sqrt (2 * PI) = sqrt 2 * sqrt PI by apply: sqrt_mult; [lra | exact: Rlt_le PI_RGT_0].
move: M; rewrite X2 P2; set e := exp _; set f := erf _; congr is_derive.
have T : (/ 2 * (1 + f) + x / 2 * (/ sqrt 2 * (2 / sqrt PI * e)) = (1 + f) / 2 + x * e / (sqrt 2 * sqrt PI))%R.
  by field; lra.
exact: T.
Qed.
End Smooth.

Lemma near_sign (t c : R) (f g : R -> R) (l : R) : t <> c ->
  (forall s, 0 < (s - c) * (t - c) -> f s = g s) -> is_derive g t l -> is_derive f t l.
Proof.
move=> H E; apply: is_derive_ext_loc; have P : 0 < Rabs (t - c) by apply: Rabs_pos_lt; lra.
exists (mkposreal _ P) => s; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /= => S.
rewrite E //; move: S; rewrite /Rabs; case: Rcase_abs => ?; case: Rcase_abs => ? ?; nra.
Qed.
Lemma d_leaky_relu (a x : R) : x <> 0 -> is_derive (fun t => Rmax t 0 + a * Rmin t 0) x
  ((if Rlt_dec 0 x then 1 else 0) + a * (if Rlt_dec x 0 then 1 else 0)).
Proof.
move=> H; case: (Rlt_dec 0 x) => A /=; case: (Rlt_dec x 0) => B /=; try lra.
  apply: (near_sign (c := 0) (g := fun t => t)) => // [s S|]; last by auto_derive => //; ring.
  by rewrite Rmax_left ?Rmin_right; nra.
apply: (near_sign (c := 0) (g := fun t => a * t)) => // [s S|]; last by auto_derive => //; ring.
by rewrite Rmax_right ?Rmin_left; nra.
Qed.
(** Below -3, between -3 and 3, and above 3. *)
Lemma d_hard_sigmoid (x : R) : x <> -3 -> x <> 3 -> is_derive (fun t => Rmin (Rmax (t + 3) 0) 6 / 6) x
  ((if Rlt_dec 0 (x + 3) then 1 else 0) * (if Rlt_dec x 3 then 1 else 0) / 6).
Proof.
move=> A B; have C := @d_clamp 0 6 (x + 3) ltac:(lra) ltac:(lra).
have I : is_derive (fun t => t + 3) x 1 by auto_derive => //; ring.
have := is_derive_scal _ x (/ 6) _ (is_derive_comp (fun t => Rmin (Rmax t 0) 6) (fun t => t + 3) x _ _ C I).
rewrite /scal /= /mult /= => D; apply: (is_derive_ext (fun t => / 6 * Rmin (Rmax (t + 3) 0) 6)).
  by move=> t; change (/ 6 * Rmin (Rmax (t + 3) 0) 6 = Rmin (Rmax (t + 3) 0) 6 / 6); field.
move: D; congr is_derive; case: (Rlt_dec 0 (x + 3)) => P /=; last by field.
by rewrite Rmax_left; last lra; case: (Rlt_dec x 3) => Q /=; case: Rlt_dec => ? /=; try lra; field.
Qed.
Lemma d_hard_swish (x : R) : x <> -3 -> x <> 3 -> is_derive (fun t => t * (Rmin (Rmax (t + 3) 0) 6 / 6)) x
  (Rmin (Rmax (x + 3) 0) 6 / 6 +
   x * ((if Rlt_dec 0 (x + 3) then 1 else 0) * (if Rlt_dec x 3 then 1 else 0) / 6)).
Proof.
move=> A B; have := is_derive_mult (fun t => t) _ x _ _ (is_derive_id x) (d_hard_sigmoid A B) (fun a b => Rmult_comm a b).
by rewrite /plus /mult /= Rmult_1_l.
Qed.

(** Each as a backward pass: dy times the slope at every entry, the map being differentiable there. *)
Section Backward.
Variables (I : finType) (x : tensor I).
Notation backward f s := (has_vjp (map1 f) x (fun g i => g i * s (x i))).
Lemma backward_of (f s : R -> R) : (forall i, is_derive f (x i) (s (x i))) -> backward f s.
Proof. exact: (pull1 (s := fun i => s (x i))). Qed.
Theorem vjp_swish : backward swish (fun u => logistic u + u * (logistic u * (1 - logistic u))).
Proof. by apply: backward_of => i; exact: d_swish. Qed.
Theorem vjp_softplus : backward (fun t => ln (1 + exp t)) logistic.
Proof. by apply: backward_of => i; exact: d_softplus. Qed.
Theorem vjp_gelu_erf : backward (fun t => t * (1 + erf (t / sqrt 2)) / 2)
  (fun u => (1 + erf (u / sqrt 2)) / 2 + u * exp (- (u * u / 2)) / sqrt (2 * PI)).
Proof. by apply: backward_of => i; exact: d_gelu_erf. Qed.
Theorem vjp_relu6 : (forall i, x i <> 0) -> (forall i, x i <> 6) -> backward (fun t => Rmin (Rmax t 0) 6)
  (fun u => (if Rlt_dec (Rmax u 0) 6 then 1 else 0) * (if Rlt_dec 0 u then 1 else 0)).
Proof. by move=> A B; apply: backward_of => i; exact: d_clamp (A i) (B i). Qed.
Theorem vjp_leaky_relu a : (forall i, x i <> 0) -> backward (fun t => Rmax t 0 + a * Rmin t 0)
  (fun u => (if Rlt_dec 0 u then 1 else 0) + a * (if Rlt_dec u 0 then 1 else 0)).
Proof. by move=> A; apply: backward_of => i; exact: d_leaky_relu (A i). Qed.
Theorem vjp_hard_sigmoid : (forall i, x i <> -3) -> (forall i, x i <> 3) ->
  backward (fun t => Rmin (Rmax (t + 3) 0) 6 / 6)
    (fun u => (if Rlt_dec 0 (u + 3) then 1 else 0) * (if Rlt_dec u 3 then 1 else 0) / 6).
Proof. by move=> A B; apply: backward_of => i; exact: d_hard_sigmoid (A i) (B i). Qed.
Theorem vjp_hard_swish : (forall i, x i <> -3) -> (forall i, x i <> 3) ->
  backward (fun t => t * (Rmin (Rmax (t + 3) 0) 6 / 6)) (fun u => Rmin (Rmax (u + 3) 0) 6 / 6 +
    u * ((if Rlt_dec 0 (u + 3) then 1 else 0) * (if Rlt_dec u 3 then 1 else 0) / 6)).
Proof. by move=> A B; apply: backward_of => i; exact: d_hard_swish (A i) (B i). Qed.
End Backward.
