(** Normalisation over a finite set: batch, layer, group and instance norm. *)
From Gradwright Require Export Pointwise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------------- (f) normalisation over a finite set P ---------------- *)
Section Norm.
Variables (P : finType) (eps : R) (p0 : P).
Hypothesis eps0 : 0 < eps.
Implicit Types x : tensor P.
Definition n := INR #|P|.
Lemma n_gt0 : 0 < n.
Proof. by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists p0. Qed.
Definition mean x := / n * \rsum_p x p.
Definition var x := / n * \rsum_p (x p - mean x) * (x p - mean x).
Definition inv x := rsqrt (var x + eps).
Definition xhat x : tensor P := fun p => (x p - mean x) * inv x.
Lemma var_ge0 x : 0 <= var x.
Proof. apply: Rmult_le_pos; first by have := Rinv_0_lt_compat _ n_gt0; lra.
by apply: sum_ge0 => p _; exact: Rle_0_sqr. Qed.
Lemma sum_centered x : \rsum_p (x p - mean x) = 0.
Proof. rewrite sumB sum_const -/n /mean; have := n_gt0; by move=> ?; field; lra. Qed.
Lemma grad_mean x : is_grad mean x (fun _ => / n).
Proof.
apply: is_grad_eqg (is_grad_scal (/ n) (is_grad_sum (P := xpredT) (fun p _ => is_grad_proj p x))) => i.
rewrite (eq_bigr (fun p => delta p i * 1)) => [|p _]; last by rewrite deltaC; ring.
by rewrite sum_deltal; ring.
Qed.
Lemma grad_var x : is_grad var x (fun i => 2 / n * (x i - mean x)).
Proof.
have C p : is_grad (fun y => y p - mean y) x (fun i => delta i p - / n) := is_grad_minus (is_grad_proj p x) (grad_mean x).
apply: is_grad_eqg (is_grad_scal (/ n) (is_grad_sum (P := xpredT) (fun p _ => is_grad_mult (C p) (C p)))) => i.
rewrite (eq_bigr (fun p => 2 * (delta p i * (x p - mean x)) + (- 2 / n) * (x p - mean x))) => [|p _].
  rewrite sumD !sumZl (sum_deltal (fun p => x p - mean x)) sum_centered; rewrite /Rdiv; ring.
by rewrite deltaC; rewrite /Rdiv; ring.
Qed.
Lemma grad_inv x : is_grad inv x (fun i => - / n * (x i - mean x) * (inv x * inv x * inv x)).
Proof.
have V : 0 < var x + eps by have := var_ge0 x; lra.
have := is_grad_comp1 (is_grad_plus (grad_var x) (is_grad_const eps x)) (d_rsqrt V).
by apply: is_grad_eqg => i; rewrite -/(inv x) /Rdiv; field; have := n_gt0; lra.
Qed.
(* normalise: dx = inv/n * (n dy - sum dy - xhat * sum (xhat dy)) *)
Theorem vjp_xhat x : has_vjp xhat x (fun dy i =>
  inv x * / n * (n * dy i - \rsum_p dy p - xhat x i * \rsum_p xhat x p * dy p)).
Proof.
exists (fun j i => inv x * (delta i j - / n - / n * (xhat x j * xhat x i))); split.
  move=> j; apply: is_grad_eqg (is_grad_mult (is_grad_minus (is_grad_proj j x) (grad_mean x)) (grad_inv x)) => i.
  by rewrite /xhat /=; ring.
move=> dy i; rewrite [RHS](eq_bigr (fun j => inv x * (delta j i * dy j) + (- (inv x * / n) * dy j + (- (inv x * / n * xhat x i)) * (xhat x j * dy j)))) => [|j _].
  rewrite sumD sumZl (sum_deltal dy) sumD !sumZl; field; have := n_gt0; lra.
by rewrite [delta i j]deltaC; ring.
Qed.
End Norm.

(* batch norm: channel c, reduction index p (batch x spatial) *)
Section BatchNorm.
Variables (C P : finType) (eps : R) (p0 : P).
Hypothesis eps0 : 0 < eps.
Notation TT := (tensor [finType of C * P]).
Definition row (x : TT) c : tensor P := fun p => x (c, p).
Definition bn (x : TT) (ga be : tensor C) : TT :=
  fun q => ga q.1 * xhat eps (row x q.1) q.2 + be q.1.
Theorem vjp_bn_x x ga be : has_vjp (fun x => bn x ga be) x (fun dy q => let: (c, p) := q in
  ga c * inv eps (row x c) * / n P * (n P * dy (c, p) - \rsum_r dy (c, r)
     - xhat eps (row x c) p * \rsum_r xhat eps (row x c) r * dy (c, r))).
Proof.
have H c : has_vjp (fun z p => be c + ga c * xhat eps z p) (row x c) (fun dy p => ga c * (inv eps (row x c) * / n P *
   (n P * dy p - \rsum_r dy r - xhat eps (row x c) p * \rsum_r xhat eps (row x c) r * dy r))).
  have [A [HA Hb]] := vjp_xhat p0 eps0 (row x c); exists (fun j i => ga c * A j i); split.
    move=> j; apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 1 (ga c) (is_grad_const (be c) (row x c)) (HA j))) => [z|i]; ring.
  by move=> dy i; rewrite Hb -sumZl; apply: eq_bigr => j _; ring.
apply: has_vjp_ext (vjp_vmap (x := x) H) => [z [c p]|dy [c p]] /=; rewrite /bn /row /=; ring.
Qed.
Theorem vjp_bn_gamma x ga be :
  has_vjp (fun ga => bn x ga be) ga (fun dy c => \rsum_p xhat eps (row x c) p * dy (c, p)).
Proof.
exists (fun q c => delta c q.1 * xhat eps (row x q.1) q.2); split.
  move=> q; apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 (xhat eps (row x q.1) q.2) 1 (is_grad_proj q.1 ga) (is_grad_const (be q.1) ga))) => [z|c]; rewrite /bn; ring.
move=> dy c; rewrite sum_pairE /= -[LHS](sum_deltal (fun c => \rsum_p xhat eps (row x c) p * dy (c, p))).
apply: eq_bigr => c' _; rewrite -sumZl; apply: eq_bigr => p _; rewrite [delta c' c]deltaC; ring.
Qed.
Theorem vjp_bn_beta x ga be : has_vjp (fun be => bn x ga be) be (fun dy c => \rsum_p dy (c, p)).
Proof.
exists (fun q c => delta c q.1); split.
  move=> q; apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 1 1 (is_grad_const (ga q.1 * xhat eps (row x q.1) q.2) be) (is_grad_proj q.1 be))) => [z|c]; rewrite /bn; ring.
move=> dy c; rewrite sum_pairE /= -[LHS](sum_deltal (fun c => \rsum_p dy (c, p))).
apply: eq_bigr => c' _; rewrite -sumZl; apply: eq_bigr => p _; rewrite [delta c' c]deltaC; ring.
Qed.
End BatchNorm.
