(** The certifier's identities of powers, exponentials and named functions, with their conditions. *)
From Gradwright Require Export Slopes MaskRules.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** Powers.  A root is taken of numbers >= 0 only: [root x q] is x to the power q > 0, and 0 at 0. *)
Definition root (x q : R) : R := if Rlt_dec 0 x then Rpower x q else 0.

Theorem rule_power_gather (x : R) (m n : nat) : x ^ m * x ^ n = x ^ (m + n).
Proof. by rewrite pow_add. Qed.
Theorem rule_power_gather_integer (x : R) (m n : Z) : x <> 0 -> powerRZ x m * powerRZ x n = powerRZ x (m + n).
Proof. by move=> H; rewrite powerRZ_add. Qed.
Theorem rule_power_gather_real (x p q : R) : 0 < x -> Rpower x p * Rpower x q = Rpower x (p + q).
Proof. by move=> H; rewrite Rpower_plus. Qed.
Theorem rule_power_gather_root (x p q : R) : root x p * root x q = root x (p + q).
Proof. by rewrite /root; case: Rlt_dec => H /=; [rewrite Rpower_plus | ring]. Qed.
Theorem rule_power_one (x : R) : 0 <= x -> root x 1 = x.
Proof. by rewrite /root; case: Rlt_dec => H ? /=; [rewrite Rpower_1 | lra]. Qed.
Theorem rule_power_root (x : R) (n : nat) : 0 <= x -> (root x (/ INR n.+1)) ^ n.+1 = x.
Proof.
have P := pos_INR n; have S : INR n.+1 <> 0 by rewrite S_INR; lra.
rewrite /root; case: Rlt_dec => H ? /=; last by have -> : x = 0 by [lra]; rewrite Rmult_0_l.
rewrite -[_ * _]/((Rpower x (/ INR n.+1)) ^ n.+1) -Rpower_pow; last exact: exp_pos.
by rewrite Rpower_mult Rinv_l // Rpower_1.
Qed.
Theorem rule_power_product (x y : R) (n : nat) : (x * y) ^ n = x ^ n * y ^ n.
Proof. exact: Rpow_mult_distr. Qed.
Theorem rule_power_product_root (x y q : R) : 0 <= x -> 0 <= y -> root (x * y) q = root x q * root y q.
Proof.
move=> Hx Hy; rewrite /root; case: (Rlt_dec 0 x) => A /=; last by rewrite (_ : x = 0); [case: Rlt_dec => ? /=; [lra|ring] | lra].
case: (Rlt_dec 0 y) => B /=; last by rewrite (_ : y = 0); [case: Rlt_dec => ? /=; [lra|ring] | lra].
case: Rlt_dec => C /=; last by nra.
by rewrite Rpower_mult_distr.
Qed.
Theorem rule_power_inverse (x y : R) (n : nat) : x <> 0 -> y <> 0 -> / (x * y) ^ n = / x ^ n * / y ^ n.
Proof. by move=> ? ?; rewrite Rpow_mult_distr Rinv_mult_distr //; exact: pow_nonzero. Qed.
Theorem rule_power_power (x p q : R) : Rpower (Rpower x p) q = Rpower x (p * q).
Proof. exact: Rpower_mult. Qed.
Theorem rule_power_power_whole (x : R) (m n : nat) : (x ^ m) ^ n = x ^ (m * n).
Proof. by rewrite pow_mult. Qed.
(** An even power of a factor of any sign comes out of a root as a power of its absolute value. *)
Lemma root_power (a q : R) (n : nat) : 0 < a -> root (a ^ n) q = Rpower a (INR n * q).
Proof.
move=> H; have P : 0 < a ^ n by exact: pow_lt.
by rewrite /root; case: Rlt_dec => //= _; rewrite -(Rpower_pow n a H) Rpower_mult.
Qed.
Theorem rule_power_even_root (f P q : R) (n : nat) : f <> 0 -> 0 <= P ->
  root (f ^ (2 * n) * P) q = Rpower (Rabs f) (INR (2 * n) * q) * root P q /\
  root (/ f ^ (2 * n) * P) q = Rpower (Rabs f) (- INR (2 * n) * q) * root P q.
Proof.
move=> N HP; have A : 0 < Rabs f by exact: Rabs_pos_lt.
have E : f ^ (2 * n) = Rabs f ^ (2 * n) by rewrite !pow_mult pow2_abs.
have F : 0 < Rabs f ^ (2 * n) by exact: pow_lt.
rewrite E !rule_power_product_root //; [|by apply: Rlt_le; exact: Rinv_0_lt_compat | lra].
split; congr (_ * _); first exact: root_power.
rewrite Rinv_pow; last lra.
rewrite root_power; last exact: Rinv_0_lt_compat.
by rewrite /Rpower ln_Rinv //; congr exp; ring.
Qed.
(** A root of a product distributes over a factor of unknown sign whose exponent is odd: where the
    root is defined, that factor is >= 0. *)
Theorem rule_power_odd (x : R) (n : nat) :
  (0 <= x ^ (2 * n + 1) -> 0 <= x) /\ (x <> 0 -> 0 <= / x ^ (2 * n + 1) -> 0 <= x).
Proof.
have odd_ : 0 <= x ^ (2 * n + 1) -> 0 <= x.
  move=> H; apply: Rnot_lt_le => N; have P : 0 < (x ^ n) ^ 2.
    by apply: pow2_gt_0; apply: pow_nonzero; lra.
  by move: H; rewrite pow_add mulnC pow_mult pow_1; nra.
split=> // N H; apply: odd_; have Z := pow_nonzero x (2 * n + 1) N.
case: (Rtotal_order (x ^ (2 * n + 1)) 0) => [L|[E|]]; [|by []|exact: Rlt_le].
by have := Rinv_lt_0_compat _ L; lra.
Qed.
(** A rational base keeps the fractional part of its exponent. *)
Theorem rule_power_base (c q : R) : 0 < c -> Rpower c q = powerRZ c (Int_part q) * Rpower c (frac_part q).
Proof.
move=> H; rewrite powerRZ_Rpower // -Rpower_plus; congr Rpower; rewrite /frac_part; ring.
Qed.
(** Trap: without a sign, the root of a square is not the number, but its absolute value. *)
Theorem trap_root_of_square : (forall x, sqrt (x * x) = Rabs x) /\ ~ (forall x, sqrt (x * x) = x).
Proof.
split=> [x|H]; first exact: sqrt_Rsqr_abs.
by have := H (-1); rewrite (_ : -1 * -1 = 1) ?sqrt_1; lra.
Qed.

(** ** Signs *)
Theorem rule_sign_exponential x : 0 < exp x. Proof. exact: exp_pos. Qed.
Theorem rule_sign_logistic x : 0 < logistic x.
Proof. by apply: Rinv_0_lt_compat; have := exp_pos (- x); lra. Qed.
Theorem rule_sign_pi : 0 < PI. Proof. exact: PI_RGT_0. Qed.
Theorem rule_sign_log c : 1 < c -> 0 < ln c.
Proof. by move=> H; rewrite -ln_1; apply: ln_increasing; lra. Qed.
Theorem rule_sign_product x y : (0 <= x -> 0 <= y -> 0 <= x * y) /\ (0 < x -> 0 < y -> 0 < x * y).
Proof. by split=> ? ?; [exact: Rmult_le_pos | exact: Rmult_lt_0_compat]. Qed.
Theorem rule_sign_even x n : 0 <= x ^ (2 * n) /\ (x <> 0 -> 0 <= / x ^ (2 * n)).
Proof.
have P : 0 <= x ^ (2 * n) by rewrite mulnC pow_mult; exact: pow2_ge_0.
split=> // N; apply: Rlt_le; apply: Rinv_0_lt_compat; have := pow_nonzero x (2 * n) N; lra.
Qed.
Theorem rule_sign_root x q : 0 <= root x q.
Proof. by rewrite /root; case: Rlt_dec => ? /=; [exact: Rlt_le (exp_pos _) | lra]. Qed.
Theorem rule_sign_sum (I : finType) (F : I -> R) i : (forall k, 0 <= F k) ->
  0 <= \rsum_k F k /\ (0 < F i -> 0 < \rsum_k F k).
Proof.
move=> H; split=> [|Fi]; first by apply: sum_ge0.
by apply: Rlt_le_trans Fi _; exact: sum_term_le.
Qed.

(** ** Exponentials and logarithms *)
Theorem rule_exp_sum a b : exp (a + b) = exp a * exp b. Proof. exact: exp_plus. Qed.
Theorem rule_exp_multiple c t : exp (c * t) = Rpower (exp t) c.
Proof. by rewrite /Rpower ln_exp. Qed.
Theorem rule_exp_log c x : 0 < x -> exp (c * ln x) = Rpower x c. Proof. by []. Qed.
Theorem rule_log_product a b : 0 < a -> 0 < b -> ln (a * b) = ln a + ln b. Proof. exact: ln_mult. Qed.
Theorem rule_log_power a q : 0 < a -> ln (Rpower a q) = q * ln a.
Proof. by rewrite /Rpower ln_exp. Qed.
Theorem rule_log_exp a : ln (exp a) = a. Proof. exact: ln_exp. Qed.
(** Of an entry that may be -inf: its exponential is 0 there. *)
Definition Rbar_exp (x : Rbar) : Rbar := match x with Finite a => Finite (exp a) | m_infty => Finite 0 | p_infty => p_infty end.
Theorem rule_infinite_exponential x a below : parts x a below 0 ->
  parts (Rbar_exp x) (exp a * finite_mask below 0) 0 0.
Proof.
move E : 0 => above P; case: P E => [u||] E; rewrite /finite_mask /= -?E; try lra.
  by rewrite (_ : exp u * (1 - 0 - 0) = exp u); [constructor | ring].
by rewrite (_ : exp 0 * (1 - 1 - 0) = 0); [constructor | ring].
Qed.

(** ** Named functions *)
Theorem rule_logistic_reflection x : logistic (- x) = 1 - logistic x /\ logistic 0 = / 2.
Proof.
rewrite /logistic Ropp_0 exp_0 Ropp_involutive exp_Ropp; have := exp_pos x => ?; split; field; lra.
Qed.
Theorem rule_tanh_logistic x : tanh x = 2 * logistic (2 * x) - 1.
Proof.
rewrite -tanhE /logistic (_ : - (2 * x) = - x + - x); last by ring.
rewrite exp_plus exp_Ropp; have := exp_pos x => ?; field; repeat split; nra.
Qed.
Theorem rule_exp_times_logistic u : exp u * logistic u = exp u - logistic u /\ exp (- u) * logistic u = 1 - logistic u.
Proof.
rewrite /logistic exp_Ropp; have := exp_pos u => ?; split; field; lra.
Qed.
Theorem rule_logistic_power c u (n k : nat) : 0 < c ->
  / (c * (1 + exp u) ^ n) ^ k = / c ^ k * logistic (- u) ^ (n * k).
Proof.
move=> H; have P := exp_pos u; have Q : (1 + exp u) ^ n <> 0 by apply: pow_nonzero; lra.
rewrite Rpow_mult_distr Rinv_mult_distr; try (apply: pow_nonzero; lra); try exact: pow_nonzero.
by congr (_ * _); rewrite /logistic Ropp_involutive -[RHS]Rinv_pow ?pow_mult //; lra.
Qed.
Definition odd_function (f : R -> R) : Prop := forall x, f (- x) = - f x.
Definition even_function (f : R -> R) : Prop := forall x, f (- x) = f x.
Lemma odd_at_0 f : odd_function f -> f 0 = 0.
Proof. by move=> /(_ 0); rewrite Ropp_0; lra. Qed.
Lemma signum_odd : odd_function signum.
Proof. by move=> x; rewrite /signum; repeat (case: Rlt_dec => ? /=); lra. Qed.
Theorem rule_odd_sine : odd_function sin. Proof. exact: sin_neg. Qed.
Theorem rule_odd_tan : odd_function tan. Proof. exact: tan_neg. Qed.
Theorem rule_odd_atan : odd_function atan. Proof. exact: atan_opp. Qed.
Theorem rule_odd_asin : odd_function asin. Proof. exact: asin_opp. Qed.
Theorem rule_odd_cbrt : odd_function cbrt.
Proof. by move=> x; rewrite /cbrt signum_odd Rabs_Ropp; ring. Qed.
Theorem rule_odd_asinh : odd_function arcsinh.
Proof.
move=> x; rewrite -[LHS]arcsinh_sinh -[in RHS](sinh_arcsinh x).
rewrite sinh_arcsinh -{1}(sinh_arcsinh x) (_ : - sinh (arcsinh x) = sinh (- arcsinh x)) ?arcsinh_sinh //.
by rewrite /sinh Ropp_involutive; field.
Qed.
Theorem rule_odd_atanh : odd_function atanh.
Proof.
have E x : 1 - - x = 1 + x by ring.
by move=> x; rewrite /atanh E -/(1 - x); ring.
Qed.
Theorem rule_odd_truncate : odd_function truncate.
Proof.
have F0 : floorR 0 = 0 by rewrite (@floor_spec 0 0); lra.
move=> x; rewrite /truncate /ceilR Ropp_involutive; case: Rle_dec => A; case: Rle_dec => B /=; try lra.
by have -> : x = 0 by [lra]; rewrite Ropp_0 F0; ring.
Qed.
Theorem rule_odd_round_away : odd_function round_away.
Proof.
have F0 : floorR (/ 2) = 0 by rewrite (@floor_spec (/ 2) 0); lra.
move=> x; rewrite /round_away Ropp_involutive; case: Rle_dec => A; case: Rle_dec => B /=; try lra.
by have -> : x = 0 by [lra]; rewrite Ropp_0 Rplus_0_l F0; ring.
Qed.
Theorem rule_odd_round_even : odd_function round_even.
Proof.
have P t z : IZR z <= t < IZR z + 1 -> Int_part t = z by move=> /floor_spec; exact: eq_IZR.
move=> x; set n := Int_part (x + / 2); have [A B] := base_Int_part (x + / 2); rewrite -/n in A B.
rewrite /round_even -/n; case: (Req_EM_T (x + / 2) (IZR n)) => E /=.
  have Q : - x + / 2 = IZR (1 - n) by rewrite minus_IZR -E; lra.
  rewrite (P (- x + / 2) (1 - n)%Z); last by lra.
  have V : Z.even (1 - n) = ~~ Z.even n by rewrite Z.even_sub; case: (Z.even n).
  rewrite V minus_IZR; case: Req_EM_T => [?|N]; last by case: N; rewrite Q minus_IZR.
  by case: (Z.even n) => /=; lra.
rewrite (P (- x + / 2) (- n)%Z); last by rewrite opp_IZR; lra.
case: Req_EM_T => /= [F|_]; last by rewrite opp_IZR.
by move: F; rewrite opp_IZR; lra.
Qed.
Lemma erf_0 : erf 0 = 0. Proof. by rewrite /erf RInt_point /zero /= Rmult_0_r. Qed.
Theorem rule_odd_erf : odd_function erf.
Proof.
have D x : is_derive (fun t => erf (- t) + erf t) x 0.
  have A := is_derive_comp erf (fun t => - t) x _ (-1) (d_erf (- x)) ltac:(by auto_derive).
  have := is_derive_plus (fun t => erf (- t)) erf x _ _ A (d_erf x).
  congr is_derive; rewrite /plus /scal /= /mult /= (_ : - x * - x = x * x); ring.
have C a b : a < b -> erf (- a) + erf a = erf (- b) + erf b.
  by apply: (eq_is_derive (fun t => erf (- t) + erf t)) => t _; exact: D.
move=> x; suff : erf (- x) + erf x = erf (- 0) + erf 0 by rewrite Ropp_0 erf_0; lra.
by case: (Rtotal_order x 0) => [/C //|[-> //|/C ->]].
Qed.
Theorem rule_odd_inverse (f h : R -> R) : odd_function f -> (forall x, h (f x) = x) ->
  forall y, (exists x, f x = y) -> h (- y) = - h y.
Proof. by move=> O H y [x <-]; rewrite -O !H. Qed.
Theorem rule_even_cosine : even_function cos /\ cos 0 = 1. Proof. by split; [exact: cos_neg | exact: cos_0]. Qed.
(** An odd function is 0 at 0. *)
Theorem rule_odd_zero f : odd_function f -> f 0 = 0. Proof. exact: odd_at_0. Qed.
Theorem rule_hyperbolic x : cosh x = (exp x + exp (- x)) / 2 /\ sinh x = (exp x - exp (- x)) / 2.
Proof. by []. Qed.
(** ** Whole numbers *)
Theorem rule_truncate_whole n : truncate (IZR n) = IZR n.
Proof.
have F k : floorR (IZR k) = IZR k by apply: floor_spec; lra.
by rewrite /truncate /ceilR; case: Rle_dec => _ /=; rewrite ?F // -opp_IZR F opp_IZR; ring.
Qed.
Theorem rule_ceiling a : ceilR a = - floorR (- a). Proof. by []. Qed.
Theorem rule_remainder a b : remainder a b = a - b * truncate (a / b). Proof. by []. Qed.
Theorem rule_whole_terms x y : whole x -> whole y -> whole (x * y) /\ whole (x + y).
Proof. by case=> m ->; case=> n ->; split; [exists (m * n)%Z | exists (m + n)%Z]; rewrite ?mult_IZR ?plus_IZR. Qed.
(** Of whole numbers n, g n + c > 0 is n > floor(-c / g), and n > 0 is the opposite of 1 - n > 0. *)
Theorem rule_mask_whole (g c : R) (n : Z) : 0 < g -> positive (g * IZR n + c) = positive (IZR n - floorR (- c / g)).
Proof.
move=> H; have [A B] := base_Int_part (- c / g); rewrite /floorR; set m := Int_part _ in A B *.
have E : g * (- c / g) = - c by field; lra.
rewrite /positive; case: Rlt_dec => P /=; case: Rlt_dec => Q //=.
  have /le_IZR N : IZR n <= IZR m by lra.
  have : g * IZR n <= g * (- c / g) by apply: Rmult_le_compat_l; lra.
  lra.
have /lt_IZR N : IZR m < IZR n by lra.
have /IZR_le : (m + 1 <= n)%Z by lia.
rewrite plus_IZR => L; have : g * (- c / g) < g * IZR n by apply: Rmult_lt_compat_l; lra.
lra.
Qed.
Theorem rule_mask_whole_opposite (n : Z) : positive (IZR n) = 1 - positive (1 - IZR n).
Proof.
rewrite /positive; case: Rlt_dec => P /=; case: Rlt_dec => Q /=; try ring.
  have /lt_IZR N : IZR n < 1 by lra.
  have /lt_IZR M := P; lia.
have /le_IZR N : IZR n <= 0 by lra.
have /le_IZR M : 1 <= IZR n by lra.
lia.
Qed.
(** What a part T leaves of a positive sum C, over that sum. *)
Theorem rule_log_sum_rest (c r T C : R) : 0 < C ->
  c * r - c * (r * T * / C) = c * r * (C - T) * / C /\ c * (r * C) - c * (r * T) = c * r * (C - T).
Proof. by move=> H; split; [field; lra | ring]. Qed.
(** ** Denominators: multiplied out where they are not 0 *)
Theorem rule_clear_denominator (A d : R) (n : nat) (q : R) :
  (A <> 0 -> (A ^ n * d = 0 <-> d = 0)) /\ (0 < A -> (root A q * d = 0 <-> d = 0)).
Proof.
have C u : u <> 0 -> (u * d = 0 <-> d = 0).
  by move=> N; split=> [E|->]; [case: (Rmult_integral _ _ E) | ring].
split=> H; apply: C; first exact: pow_nonzero.
by rewrite /root; case: Rlt_dec => // _ /=; have := exp_pos (q * ln A); rewrite /Rpower; lra.
Qed.
