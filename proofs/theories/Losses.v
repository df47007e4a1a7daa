(** Losses and masks of training: label smoothing, squared error, binary cross-entropy, dropout. *)
From Gradwright Require Export Softmax.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** Label smoothing moves a share a of the target evenly to all classes. *)
Section Smoothing.
Variables (N I : finType) (i0 : I) (a : R).
Definition smoothed (t : tensor [finType of N * I]) : tensor [finType of N * I] :=
  fun q => (1 - a) * t q + a / INR #|I|.
Lemma smoothed_sum t n : \rsum_j t (n, j) = 1 -> \rsum_j smoothed t (n, j) = 1.
Proof.
have P : 0 < INR #|I| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists i0.
by move=> E; rewrite /smoothed sumD sumZl E sum_const; field; lra.
Qed.
Theorem grad_smoothed_cross_entropy t (x : tensor [finType of N * I]) : (forall n, \rsum_j t (n, j) = 1) ->
  is_grad (mean_xent (smoothed t)) x
    (fun q => / INR #|N| * (softmax (fun j => x (q.1, j)) q.2 - smoothed t q)).
Proof. by move=> H; apply: (grad_mean_xent i0) => n; exact: smoothed_sum. Qed.
End Smoothing.

(** A mean over all entries of a loss of each entry. *)
Theorem grad_mean_of_losses (I : finType) (loss slope : I -> R -> R) (x : tensor I) :
  (forall i, is_derive (loss i) (x i) (slope i (x i))) ->
  is_grad (fun z => / INR #|I| * \rsum_i loss i (z i)) x (fun i => / INR #|I| * slope i (x i)).
Proof.
move=> H; apply: is_grad_eqg (is_grad_scal _ (is_grad_sum (P := xpredT)
  (fun i _ => is_grad_comp1 (is_grad_proj i x) (H i)))) => k.
by under eq_bigr do rewrite deltaC Rmult_comm; rewrite (sum_deltal (fun i => slope i (x i))).
Qed.
Theorem grad_mean_squared_error (I : finType) (t x : tensor I) :
  is_grad (fun z => / INR #|I| * \rsum_i (z i - t i) * (z i - t i)) x (fun i => / INR #|I| * (2 * (x i - t i))).
Proof.
apply: (grad_mean_of_losses (loss := fun i z => (z - t i) * (z - t i)) (slope := fun i z => 2 * (z - t i))) => i.
by auto_derive => //; ring.
Qed.
(** On logits z: ln(1 + exp z) - t z. *)
Theorem grad_binary_cross_entropy (I : finType) (t x : tensor I) :
  is_grad (fun z => / INR #|I| * \rsum_i (ln (1 + exp (z i)) - t i * z i)) x
    (fun i => / INR #|I| * (logistic (x i) - t i)).
Proof.
apply: (grad_mean_of_losses (loss := fun i z => ln (1 + exp z) - t i * z) (slope := fun i z => logistic z - t i)) => i.
have P := exp_pos (x i); rewrite /logistic; auto_derive; first lra.
by rewrite exp_Ropp; field; lra.
Qed.
(** Dropout multiplies by a mask (0 or 1 / keep) that is an input: so does its backward. *)
Theorem vjp_dropout (I : finType) (m x : tensor I) : has_vjp (fun y i => m i * y i) x (fun g i => m i * g i).
Proof.
by apply: (vjp_map (phi := fun i t => m i * t) (dphi := m)) => i; auto_derive => //; ring.
Qed.
