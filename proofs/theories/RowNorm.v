(** Normalisation with a scale inside each row, without a mean, and with fixed statistics. *)
From Gradwright Require Export Norm.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section LayerNorm.
Variables (N P : finType) (eps : R) (p0 : P).
Hypothesis eps0 : 0 < eps.
Notation TT := (tensor [finType of N * P]).
Definition layer_norm (x : TT) (ga be : tensor P) : TT :=
  fun q => ga q.2 * xhat eps (row x q.1) q.2 + be q.2.
(** The formula of batch norm for each row, with gamma * dy in the place of dy. *)
Theorem vjp_layer_norm_x x ga be : has_vjp (fun x => layer_norm x ga be) x (fun dy q => let: (c, p) := q in
  inv eps (row x c) * / n P * (n P * (ga p * dy (c, p)) - \rsum_r ga r * dy (c, r)
     - xhat eps (row x c) p * \rsum_r xhat eps (row x c) r * (ga r * dy (c, r)))).
Proof.
have H c : has_vjp (fun z p => be p + ga p * xhat eps z p) (row x c) (fun dy p => inv eps (row x c) * / n P *
   (n P * (ga p * dy p) - \rsum_r ga r * dy r - xhat eps (row x c) p * \rsum_r xhat eps (row x c) r * (ga r * dy r))).
  have M := vjp_map (phi := fun p t => be p + ga p * t) (dphi := ga) (x := xhat eps (row x c)).
  have {}M := M (fun p => ltac:(by auto_derive => //; ring)).
  by have := vjp_comp (vjp_xhat p0 eps0 (row x c)) M.
by apply: has_vjp_ext (vjp_vmap (x := x) H) => [z [c p]|dy [c p]] /=; rewrite /layer_norm /row /=; ring.
Qed.
Theorem vjp_layer_norm_gamma x ga be :
  has_vjp (fun ga => layer_norm x ga be) ga (fun dy p => \rsum_c xhat eps (row x c) p * dy (c, p)).
Proof.
have := vjp_linear (fun (q : [finType of N * P]) p => delta p q.2 * xhat eps (row x q.1) q.2) (fun q => be q.2) ga.
apply: has_vjp_ext => [z q|dy p].
  rewrite /layer_norm Rplus_comm; congr (_ + _).
  by under eq_bigr do rewrite Rmult_assoc; rewrite (sum_deltal (fun p => xhat eps (row x q.1) q.2 * z p)); ring.
rewrite sum_pairE; apply: eq_bigr => c _ /=.
rewrite (eq_bigr (fun r => delta r p * (xhat eps (row x c) r * dy (c, r)))) => [|r _]; last by rewrite deltaC; ring.
by rewrite (sum_deltal (fun r => xhat eps (row x c) r * dy (c, r))).
Qed.
End LayerNorm.

(** Without a mean: x / sqrt(mean of x^2 + eps). *)
Section RmsNorm.
Variables (P : finType) (eps : R) (p0 : P).
Hypothesis eps0 : 0 < eps.
Implicit Types x : tensor P.
Definition square_mean x := / n P * \rsum_p x p * x p.
Definition inv_rms x := rsqrt (square_mean x + eps).
Theorem vjp_rms_norm x : has_vjp (fun x p => x p * inv_rms x) x (fun dy i =>
  inv_rms x * dy i - / n P * (inv_rms x * inv_rms x * inv_rms x) * x i * \rsum_p x p * dy p).
Proof.
have n0 := n_gt0 p0.
have V : 0 < square_mean x + eps.
  have : 0 <= square_mean x; last lra.
  apply: Rmult_le_pos; first by have := Rinv_0_lt_compat _ n0; lra.
  by apply: sum_ge0 => p _; exact: Rle_0_sqr.
have Gq : is_grad square_mean x (fun i => 2 / n P * x i).
  apply: is_grad_eqg (is_grad_scal (/ n P) (is_grad_sum (P := xpredT) (fun p _ => is_grad_mult (is_grad_proj p x) (is_grad_proj p x)))) => i.
  rewrite (eq_bigr (fun p => delta p i * (2 * x p))) => [|p _]; last by rewrite [delta i p]deltaC; ring.
  by rewrite (sum_deltal (fun p => 2 * x p)); field; lra.
have Gi := is_grad_comp1 (is_grad_plus Gq (is_grad_const eps x)) (d_rsqrt V).
exists (fun j i => delta i j * inv_rms x - / n P * (inv_rms x * inv_rms x * inv_rms x) * x j * x i); split.
  move=> j; apply: is_grad_eqg (is_grad_mult (is_grad_proj j x) Gi) => i.
  by rewrite -/(inv_rms x); field; lra.
move=> dy i; rewrite [RHS](eq_bigr (fun j => delta j i * (inv_rms x * dy j) + (- (/ n P * (inv_rms x * inv_rms x * inv_rms x) * x i)) * (x j * dy j))) => [|j _].
  by rewrite sumD (sum_deltal (fun j => inv_rms x * dy j)) sumZl; ring.
by rewrite deltaC; ring.
Qed.
End RmsNorm.

(** With statistics that are fixed, as in evaluation, it is affine. *)
Theorem vjp_fixed_norm (C P : finType) (eps : R) (mu v ga be : tensor C) (x : tensor [finType of C * P]) :
  has_vjp (fun x q => ga q.1 * ((x q - mu q.1) * rsqrt (v q.1 + eps)) + be q.1) x
    (fun dy q => ga q.1 * rsqrt (v q.1 + eps) * dy q).
Proof.
apply: (vjp_map (phi := fun q t => ga q.1 * ((t - mu q.1) * rsqrt (v q.1 + eps)) + be q.1)
  (dphi := fun q => ga q.1 * rsqrt (v q.1 + eps))) => q; by auto_derive => //; ring.
Qed.
