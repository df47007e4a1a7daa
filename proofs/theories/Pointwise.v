(** Derivatives of functions that are applied entry by entry. *)
From Gradwright Require Export Vjp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------------- (d) scalar derivatives ---------------- *)
Lemma d_exp x : is_derive exp x (exp x).
Proof. by apply: is_derive_exp. Qed.
Lemma d_ln x : 0 < x -> is_derive ln x (/ x).
Proof. by move=> H; apply: is_derive_ln. Qed.
Lemma d_inv x : x <> 0 -> is_derive Rinv x (- / (x * x)).
Proof. by move=> H; auto_derive => //; field. Qed.
Lemma d_sqrt x : 0 < x -> is_derive sqrt x (/ (2 * sqrt x)).
Proof. move=> H; auto_derive => //; field; have := sqrt_lt_R0 x H; lra. Qed.
Definition rsqrt x := / sqrt x.
Lemma d_rsqrt x : 0 < x -> is_derive rsqrt x (- / 2 * (rsqrt x * rsqrt x * rsqrt x)).
Proof.
move=> H; have S := sqrt_lt_R0 x H; rewrite /rsqrt; auto_derive; first by split=> //; lra.
by field; lra.
Qed.
Definition logistic x := / (1 + exp (- x)).
Lemma d_logistic x : is_derive logistic x (logistic x * (1 - logistic x)).
Proof.
have E := exp_pos (- x); rewrite /logistic; auto_derive; first lra. by field; lra.
Qed.
Definition swish x := x * logistic x.
Lemma d_swish x : is_derive swish x (logistic x + x * (logistic x * (1 - logistic x))).
Proof.
by have E := exp_pos (- x); rewrite /swish /logistic; auto_derive; [lra | field; lra].
Qed.
Lemma tanhE t : (exp t - exp (- t)) / (exp t + exp (- t)) = tanh t.
Proof. rewrite /tanh /sinh /cosh; field; have := exp_pos t; have := exp_pos (- t); lra. Qed.
Lemma d_tanh x : is_derive tanh x (1 - tanh x * tanh x).
Proof.
have E1 := exp_pos x; have E2 := exp_pos (- x).
apply: (is_derive_ext _ _ _ _ tanhE); auto_derive; first lra.
by rewrite -tanhE; field; lra.
Qed.
(* GELU, tanh form, constants abstract: c = sqrt(2/pi), a = 0.044715 *)
Definition gelu (c a x : R) := / 2 * x * (1 + tanh (c * (x + a * (x * x * x)))).
Definition dgelu (c a x : R) := let t := tanh (c * (x + a * (x * x * x))) in
  / 2 * (1 + t) + / 2 * x * ((1 - t * t) * (c * (1 + 3 * a * (x * x)))).
Lemma d_gelu c a x : is_derive (gelu c a) x (dgelu c a x).
Proof.
have Hl : is_derive (fun t => / 2 * t) x (/ 2) by auto_derive => //; ring.
pose u t := c * (t + a * (t * t * t)).
have Hu : is_derive u x (c * (1 + 3 * a * (x * x))) by rewrite /u; auto_derive => //; ring.
have Ht : is_derive (fun t => 1 + tanh (u t)) x (c * (1 + 3 * a * (x * x)) * (1 - tanh (u x) * tanh (u x))).
  have := is_derive_plus (fun _ => 1) _ x _ _ (is_derive_const 1 x) (is_derive_comp tanh u x _ _ (d_tanh (u x)) Hu).
  by rewrite plus_zero_l.
have := is_derive_mult _ _ x _ _ Hl Ht (fun a b => Rmult_comm a b).
by congr is_derive; rewrite /dgelu -/(u x) /mult /plus /=; ring.
Qed.
Definition relu x := Rmax x 0.
Lemma d_relu x : x <> 0 -> is_derive relu x (if Rlt_dec 0 x then 1 else 0).
Proof.
move=> H; case: Rlt_dec => Hx.
  apply: (is_derive_ext_loc (fun t => t)); last exact: is_derive_id.
  exists (mkposreal _ Hx) => y; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /= => /Rabs_def2 [? ?].
  by rewrite /relu Rmax_left //; lra.
have Hx' : 0 < - x by lra.
apply: (is_derive_ext_loc (fun _ => 0)); last exact: is_derive_const.
exists (mkposreal _ Hx') => y; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /= => /Rabs_def2 [? ?].
by rewrite /relu Rmax_right //; lra.
Qed.

Section Pointwise.
Variables (I : finType) (x : tensor I).
Theorem vjp_exp : has_vjp (fun y i => exp (y i)) x (fun dy i => exp (x i) * dy i).
Proof. by apply: (vjp_map (phi := fun _ => exp)) => i; exact: d_exp. Qed.
Theorem vjp_tanh : has_vjp (fun y i => tanh (y i)) x (fun dy i => (1 - tanh (x i) * tanh (x i)) * dy i).
Proof. by apply: (vjp_map (phi := fun _ => tanh) (dphi := fun i => 1 - tanh (x i) * tanh (x i))) => i; exact: d_tanh. Qed.
Theorem vjp_logistic : has_vjp (fun y i => logistic (y i)) x (fun dy i => logistic (x i) * (1 - logistic (x i)) * dy i).
Proof. by apply: (vjp_map (phi := fun _ => logistic) (dphi := fun i => logistic (x i) * (1 - logistic (x i)))) => i; exact: d_logistic. Qed.
Theorem vjp_gelu c a : has_vjp (fun y i => gelu c a (y i)) x (fun dy i => dgelu c a (x i) * dy i).
Proof. by apply: (vjp_map (phi := fun _ => gelu c a)) => i; exact: d_gelu. Qed.
(* off the kink; the emitted form selects dy where x > 0 *)
Theorem vjp_relu : (forall i, x i <> 0) ->
  has_vjp (fun y i => relu (y i)) x (fun dy i => if Rlt_dec 0 (x i) then dy i else 0).
Proof.
move=> H; apply: has_vjp_ext (vjp_map (phi := fun _ => relu) (x := x) (fun i => d_relu (H i))) => // dy i.
by case: (Rlt_dec 0 (x i)) => _ /=; ring.
Qed.
End Pointwise.
