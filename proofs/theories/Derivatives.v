(** The slopes of the functions that texts apply entry by entry, one theorem per derivative rule. *)
From Coq Require Export Ratan Rpower Ranalysis5.
From Gradwright Require Export Pointwise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** [pull_OP] is the rule of StableHLO's (or CHLO's) operation OP: from the cotangent [g] of the
    result it makes those of the operands. *)

Section Scalar.
Variable x : R.

Lemma d_expm1 : is_derive (fun t => exp t - 1) x (exp x).
Proof. by auto_derive => //; ring. Qed.
Lemma d_log1p : 0 < x + 1 -> is_derive (fun t => ln (t + 1)) x (/ (x + 1)).
Proof. by move=> H; auto_derive => //; ring. Qed.
Lemma d_tan : cos x <> 0 -> is_derive tan x (1 + tan x * tan x).
Proof.
move=> H; rewrite /tan; apply: (is_derive_ext (fun t => sin t / cos t)) => //.
auto_derive => //; have := sin2_cos2 x; rewrite /Rsqr => E; field_simplify; last by []; last by [].
by congr (_ / _); nra.
Qed.
Definition signum (t : R) : R := if Rlt_dec 0 t then 1 else if Rlt_dec t 0 then -1 else 0.
Lemma signum_near : x <> 0 -> locally x (fun t => signum t = signum x).
Proof.
move=> H; have H0 : 0 < Rabs x by exact: Rabs_pos_lt.
exists (mkposreal _ H0) => y; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /= => Hy.
rewrite /signum; move: Hy; rewrite /Rabs.
by case: Rcase_abs => ?; case: Rcase_abs => ? ?; repeat (case: Rlt_dec => ? /=); lra.
Qed.
Lemma abs_signum t : Rabs t = signum t * t.
Proof. rewrite /signum /Rabs; case: Rcase_abs => ?; repeat (case: Rlt_dec => ? /=); lra. Qed.
Lemma d_abs : x <> 0 -> is_derive Rabs x (signum x).
Proof.
move=> H; apply: (is_derive_ext_loc (fun t => signum x * t)); last by auto_derive => //; ring.
by apply: filter_imp (signum_near H) => t E; rewrite abs_signum E.
Qed.
Lemma d_sign : x <> 0 -> is_derive signum x 0.
Proof.
move=> H; apply: (is_derive_ext_loc (fun _ => signum x)); last exact: is_derive_const.
by apply: filter_imp (signum_near H) => t ->.
Qed.
Lemma d_sin : is_derive sin x (cos x). Proof. exact: is_derive_sin. Qed.
Lemma d_cos : is_derive cos x (- sin x). Proof. exact: is_derive_cos. Qed.
Lemma d_sinh : is_derive sinh x (cosh x).
Proof. by rewrite /sinh /cosh; auto_derive => //; field. Qed.
Lemma d_cosh : is_derive cosh x (sinh x).
Proof. by rewrite /sinh /cosh; auto_derive => //; field. Qed.
Lemma d_asin : -1 < x < 1 -> is_derive asin x (/ sqrt (1 - x * x)).
Proof.
move=> H; apply/is_derive_Reals.
have := derive_pt_eq_1 _ _ _ (derivable_pt_asin x H) (derive_pt_asin x H).
by rewrite /Rsqr /Rdiv Rmult_1_l.
Qed.
Lemma d_acos : -1 < x < 1 -> is_derive acos x (- / sqrt (1 - x * x)).
Proof.
move=> H; apply/is_derive_Reals.
have := derive_pt_eq_1 _ _ _ (derivable_pt_acos x H) (derive_pt_acos x H).
have -> : -1 / sqrt (1 - x²) = - / sqrt (1 - x * x) by rewrite /Rsqr /Rdiv; ring.
by [].
Qed.
Lemma d_atan : is_derive atan x (/ (1 + x * x)).
Proof.
apply/is_derive_Reals; have := derivable_pt_lim_atan x.
by have -> : / (1 + x ^ 2) = / (1 + x * x) by congr (/ (_ + _)); ring.
Qed.
Lemma d_asinh : is_derive arcsinh x (/ sqrt (1 + x * x)).
Proof.
apply/is_derive_Reals; have := derivable_pt_lim_arcsinh x.
by have -> : x ^ 2 + 1 = 1 + x * x by ring.
Qed.
Definition acosh (t : R) : R := ln (t + sqrt (t * t - 1)).
Lemma d_acosh : 1 < x -> is_derive acosh x (/ sqrt (x * x - 1)).
Proof.
move=> H; have P : 0 < x * x - 1 by nra.
have S := sqrt_lt_R0 _ P; rewrite /acosh; auto_derive.
  by rewrite -/(x * x - 1); repeat split => //; lra.
rewrite -/(x * x - 1); field; lra.
Qed.
Definition atanh (t : R) : R := / 2 * (ln (1 + t) - ln (1 - t)).
Lemma d_atanh : -1 < x < 1 -> is_derive atanh x (/ (1 - x * x)).
Proof.
move=> H; rewrite /atanh; auto_derive; first by repeat split; lra.
by field; repeat split; nra.
Qed.
(** The cube root: odd, the inverse of t^3. *)
Definition cbrt (t : R) : R := signum t * Rpower (Rabs t) (/ 3).
Lemma d_cbrt : x <> 0 -> is_derive cbrt x (/ 3 * / (cbrt x * cbrt x)).
Proof.
move=> H; have P : 0 < Rabs x by exact: Rabs_pos_lt.
have S2 : signum x * signum x = 1 by rewrite /signum; case: Rlt_dec => ? /=; [ring | case: Rlt_dec => ? /=; [ring | lra]].
have P' : 0 < signum x * x by rewrite -abs_signum.
apply: (is_derive_ext_loc (fun t => signum x * exp (/ 3 * ln (signum x * t)))).
  by apply: filter_imp (signum_near H) => t E; rewrite /cbrt /Rpower abs_signum E.
auto_derive; first by [].
have -> : cbrt x * cbrt x = exp (/ 3 * ln (signum x * x)) * exp (/ 3 * ln (signum x * x)).
  by rewrite /cbrt /Rpower abs_signum; set e := exp _; transitivity (signum x * signum x * (e * e)); [ring | rewrite S2; ring].
set e := exp _; have E : e * e * e = signum x * x.
  by rewrite /e -!exp_plus (_ : _ + _ + _ = ln (signum x * x)) ?exp_ln //; field.
have e0 : 0 < e by exact: exp_pos.
have N : signum x * x <> 0 by lra.
apply: (Rmult_eq_reg_r (e * e * (signum x * x))); last by nra.
transitivity (/ 3 * (signum x * signum x) * (e * e * e)); first by field; split=> //; nra.
by rewrite S2 E; field; lra.
Qed.
(** The error function, by its integral. *)
Definition erf (t : R) : R := 2 / sqrt PI * RInt (fun u => exp (- (u * u))) 0 t.
Lemma d_erf : is_derive erf x (2 / sqrt PI * exp (- (x * x))).
Proof.
have C t : continuous (fun u => exp (- (u * u))) t.
  by apply: (ex_derive_continuous (fun u => exp (- (u * u)))); auto_derive.
apply: (is_derive_scal (fun t => RInt (fun u => exp (- (u * u))) 0 t)).
apply: is_derive_RInt (C x); exists posreal_one => y _.
by apply: (RInt_correct (fun u => exp (- (u * u)))); apply: ex_RInt_continuous => t _; exact: C.
Qed.
End Scalar.

Lemma erf_increasing a b : a < b -> erf a < erf b.
Proof.
have S : 0 < sqrt PI by apply: sqrt_lt_R0; exact: PI_RGT_0.
move=> ab; have := incr_function erf m_infty p_infty (fun t => 2 / sqrt PI * exp (- (t * t))) _ _ a b I ab I.
apply=> t _ _; first exact: d_erf.
by apply: Rmult_lt_0_compat; [apply: Rdiv_lt_0_compat; lra | exact: exp_pos].
Qed.
(** Any continuous inverse of the error function. *)
Lemma d_erf_inv (h : R -> R) low x high : low < x < high -> continuity_pt h x ->
  (forall t, low <= t <= high -> erf (h t) = t) ->
  is_derive h x (/ 2 * (sqrt PI * exp (h x * h x))).
Proof.
move=> B C E; have S : 0 < sqrt PI by apply: sqrt_lt_R0; exact: PI_RGT_0.
have D t : derivable_pt_lim erf t (2 / sqrt PI * exp (- (t * t))) by apply/is_derive_Reals; exact: d_erf.
have M s t : low <= s <= high -> low <= t <= high -> s < t -> h s <= h t.
  move=> Hs Ht st; apply: Rnot_lt_le => /erf_increasing; rewrite !E //; lra.
have G : h low <= h x <= h high by split; apply: M; lra.
pose Prf (a : R) (_ : h low <= a <= h high) : derivable_pt erf a := exist _ _ (D a).
have N : 2 / sqrt PI * exp (- (h x * h x)) <> 0.
  apply: Rgt_not_eq; apply: Rmult_lt_0_compat; [apply: Rdiv_lt_0_compat; lra | exact: exp_pos].
have := derivable_pt_lim_recip_interv erf h low high x Prf C ltac:(lra) B G.
move=> /(_ (fun t Ht => E t Ht) N) H; apply/is_derive_Reals.
have -> : / 2 * (sqrt PI * exp (h x * h x)) = 1 / (2 / sqrt PI * exp (- (h x * h x))).
  by rewrite exp_Ropp; field; split; [have := exp_pos (h x * h x); lra | lra].
exact: H.
Qed.
