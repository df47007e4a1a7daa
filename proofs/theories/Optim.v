(** Optimizer updates as formulas, and what they are: descent, sums of past gradients, corrected means. *)
From Gradwright Require Export Grad.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section Updates.
Variables (I : finType).
Implicit Types (theta g m v : tensor I).
Definition sgd (lr : R) theta g : tensor I := fun i => theta i - lr * g i.
Definition momentum (beta : R) m g : tensor I := fun i => beta * m i + g i.
Definition nesterov (beta : R) m g : tensor I := fun i => g i + beta * momentum beta m g i.
Definition moving_mean (beta : R) m g : tensor I := fun i => beta * m i + (1 - beta) * g i.
Definition adam (lr b1 b2 eps : R) (t : nat) theta m v : tensor I := fun i =>
  theta i - lr * (m i / (1 - b1 ^ t)) / (sqrt (v i / (1 - b2 ^ t)) + eps).
Definition adamw (lr b1 b2 eps decay : R) (t : nat) theta m v : tensor I := fun i =>
  adam lr b1 b2 eps t theta m v i - lr * decay * theta i.

(** Along the update of plain descent the loss falls at the rate of the squared gradient. *)
Theorem sgd_descends (f : tensor I -> R) theta g : is_grad f theta g ->
  is_derive (fun lr => f (sgd lr theta g)) 0 (- \rsum_i g i * g i).
Proof.
move=> H; have L i : is_grad (fun z : tensor unit_finType => sgd (z tt) theta g i) (fun=> 0) (fun=> - g i).
  apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 1 (- g i) (is_grad_const (theta i) _) (is_grad_proj tt _))).
    by move=> z; rewrite /sgd; ring.
  by case; rewrite /delta eqxx; ring.
have E : (fun i => sgd 0 theta g i) = theta by apply: functional_extensionality => i; rewrite /sgd; ring.
have H' : is_grad f (fun i => sgd 0 theta g i) g by rewrite E.
have := is_grad_partial tt (is_grad_chain (g := fun (z : tensor unit_finType) i => sgd (z tt) theta g i) L H').
rewrite /upd /= (_ : \rsum_k g k * - g k = - \rsum_i g i * g i) //.
by rewrite -sumN; apply: eq_bigr => i _; ring.
Qed.
(** Momentum is the sum of past gradients with falling weights. *)
Theorem momentum_is_a_sum (beta : R) (g m : nat -> tensor I) : m 0%N = (fun=> 0) ->
  (forall t, m t.+1 = momentum beta (m t) (g t)) ->
  forall t i, m t i = \rsum_(k : 'I_t) beta ^ (t - k.+1) * g k i.
Proof.
move=> H0 H t i; elim: t => [|t IH]; first by rewrite H0 big_ord0.
rewrite H /momentum IH big_ord_recr /= subnn Rmult_1_l; congr (_ + _).
by rewrite -sumZl; apply: eq_bigr => k _; rewrite subSS -(subnSK (ltn_ord k)) /=; ring.
Qed.
(** A moving mean starts at 0: of a constant gradient it is (1 - beta^t) g, so that Adam's correction
    by 1 / (1 - beta^t) gives g itself. *)
Theorem moving_mean_is_corrected (beta : R) (g : tensor I) (m : nat -> tensor I) : m 0%N = (fun=> 0) ->
  (forall t, m t.+1 = moving_mean beta (m t) g) ->
  forall t i, m t i = (1 - beta ^ t) * g i.
Proof.
by move=> H0 H t i; elim: t => [|t IH]; rewrite ?H0 ?H /moving_mean ?IH /=; ring.
Qed.
(** Without moments, and with eps = 0, a first Adam step moves by lr times the sign of g. *)
Theorem adam_first_step (lr b1 b2 : R) theta g i : b1 <> 1 -> b2 <> 1 -> g i <> 0 ->
  adam lr b1 b2 0 1 theta (moving_mean b1 (fun=> 0) g) (moving_mean b2 (fun=> 0) (fun i => g i * g i)) i
  = theta i - lr * (g i / Rabs (g i)).
Proof.
move=> H1 H2 G; rewrite /adam /moving_mean !pow_1.
have -> : (b2 * 0 + (1 - b2) * (g i * g i)) / (1 - b2) = g i * g i by field; lra.
rewrite sqrt_Rsqr_abs; have A : Rabs (g i) <> 0 by exact: Rabs_no_R0.
by field; split=> //; lra.
Qed.
End Updates.
