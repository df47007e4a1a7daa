(** Softmax, log-sum-exp and cross-entropy. *)
From Gradwright Require Export Pointwise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------------- (e) softmax, cross-entropy ---------------- *)
Section Softmax.
Variables (I : finType) (i0 : I).
Implicit Types (x y : tensor I).
Definition sumexp x := \rsum_k exp (x k).
Definition softmax x : tensor I := fun j => exp (x j) / sumexp x.
Definition lse x := ln (sumexp x).
Lemma sumexp_gt0 x : 0 < sumexp x.
Proof. apply: Rlt_le_trans (exp_pos (x i0)) _.
exact: (sum_term_le (F := fun i => exp (x i)) i0 (fun i => Rlt_le _ _ (exp_pos _))). Qed.
Lemma softmax_sum1 x : \rsum_j softmax x j = 1.
Proof. rewrite /softmax /Rdiv sumZr -/(sumexp x); field; have := sumexp_gt0 x; lra. Qed.
(* max-shift (any shift, also one that depends on x) changes nothing *)
Lemma softmax_shift x c : softmax (fun j => x j - c) =1 softmax x.
Proof.
move=> j; rewrite /softmax /sumexp; under [X in _ / X]eq_bigr do rewrite /Rminus exp_plus.
rewrite sumZr -/(sumexp x) /Rminus exp_plus; field.
by split; [have := sumexp_gt0 x; lra | have := exp_pos (- c); lra].
Qed.
Lemma lse_shift x c : lse (fun j => x j - c) + c = lse x.
Proof.
rewrite /lse /sumexp; under eq_bigr do rewrite /Rminus exp_plus.
rewrite sumZr -/(sumexp x) ln_mult ?ln_exp; [ring | exact: sumexp_gt0 | exact: exp_pos].
Qed.
Lemma grad_sumexp x : is_grad sumexp x (fun i => exp (x i)).
Proof.
apply: is_grad_eqg (is_grad_sum (P := xpredT) (fun k _ => is_grad_comp1 (is_grad_proj k x) (d_exp _))) => i.
by under eq_bigr do rewrite deltaC; rewrite sum_deltar.
Qed.
Theorem grad_lse x : is_grad lse x (softmax x).
Proof.
apply: is_grad_eqg (is_grad_comp1 (grad_sumexp x) (d_ln (sumexp_gt0 x))) => i; rewrite /softmax /Rdiv; ring.
Qed.
Theorem vjp_softmax x :
  has_vjp softmax x (fun dy i => softmax x i * (dy i - \rsum_j softmax x j * dy j)).
Proof.
have S0 := sumexp_gt0 x; have S1 : sumexp x <> 0 by lra.
exists (fun j i => softmax x j * (delta i j - softmax x i)); split.
  move=> j; have := is_grad_mult (is_grad_comp1 (is_grad_proj j x) (d_exp _)) (is_grad_comp1 (grad_sumexp x) (d_inv S1)).
  by apply: is_grad_eqg => i; rewrite /softmax; field.
move=> dy i; rewrite Rmult_minus_distr_l -(sum_deltar (fun j => softmax x j * dy j) i) -sumZl -sumB.
by apply: eq_bigr => j _; rewrite [delta j i]deltaC; ring.
Qed.
(* cross entropy with soft labels, log-softmax form: - sum_j y_j (x_j - lse x) *)
Definition xent y x := - \rsum_j y j * (x j - lse x).
Theorem grad_xent y x : is_grad (xent y) x (fun i => (\rsum_j y j) * softmax x i - y i).
Proof.
have := is_grad_sum (P := xpredT) (fun j _ => is_grad_scal (y j) (is_grad_minus (is_grad_proj j x) (grad_lse x))).
move=> /(is_grad_scal (-1)) H; apply: is_grad_ext (is_grad_eqg _ H) => [z|i]; first by rewrite /xent; ring.
under eq_bigr do rewrite Rmult_minus_distr_l deltaC; rewrite sumB sum_deltar -sumZr; ring.
Qed.
Theorem grad_xent_prob y x : \rsum_j y j = 1 -> is_grad (xent y) x (fun i => softmax x i - y i).
Proof. by move=> H; apply: is_grad_eqg (grad_xent y x) => i; rewrite H; ring. Qed.
Lemma xent_is_ce y x : xent y x = - \rsum_j y j * ln (softmax x j).
Proof.
rewrite /xent; congr (- _); apply: eq_bigr => j _; rewrite /softmax /Rdiv ln_mult ?ln_exp ?ln_Rinv //; try exact: exp_pos.
  exact: sumexp_gt0.
by apply: Rinv_0_lt_compat; exact: sumexp_gt0.
Qed.
End Softmax.

(* batch mean of the loss: gradient (p - y) / B *)
Section MeanLoss.
Variables (N I : finType) (i0 : I).
Definition mean_xent (y x : tensor [finType of N * I]) :=
  / INR #|N| * \rsum_n xent (fun j => y (n, j)) (fun j => x (n, j)).
Theorem grad_mean_xent y x : (forall n, \rsum_j y (n, j) = 1) ->
  is_grad (mean_xent y) x (fun q => / INR #|N| * (softmax (fun j => x (q.1, j)) q.2 - y q)).
Proof.
move=> Hy; apply: is_grad_scal.
have Hn n : is_grad (fun z : tensor [finType of N * I] => xent (fun j => y (n, j)) (fun j => z (n, j))) x
   (fun q => delta q.1 n * (softmax (fun j => x (n, j)) q.2 - y (n, q.2))).
  have := is_grad_chain (g := fun z : tensor [finType of N * I] => (fun j => z (n, j))) (fun j => is_grad_proj (n, j) x) (grad_xent_prob i0 (fun j => x (n, j)) (Hy n)).
  apply: is_grad_eqg => -[n' i] /=; rewrite -(sum_deltar (fun j => delta n' n * (softmax (fun j => x (n, j)) j - y (n, j))) i).
  apply: eq_bigr => j _; rewrite /delta xpair_eqE [i == j]eq_sym; case: eqP => _; case: eqP => _ /=; ring.
apply: is_grad_eqg (is_grad_sum (P := xpredT) (fun n _ => Hn n)) => -[n i] /=.
by under eq_bigr do rewrite deltaC; rewrite (sum_deltal (fun n => softmax (fun j => x (n, j)) i - y (n, i))).
Qed.
End MeanLoss.
