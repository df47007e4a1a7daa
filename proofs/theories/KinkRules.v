(** Kinks: off them a mask does not change, and is a constant to a derivative rule. *)
From Gradwright Require Export Vjp MaskRules.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** Near a point where a differentiable P is not 0, its masks do not change: they are constants to
    a derivative rule. *)
Lemma keeps_sign (I : finType) (P : tensor I -> R) x g : is_grad P x g -> P x <> 0 ->
  near x (fun y => 0 < P y * P x).
Proof.
move=> H N; have P0 : 0 < Rabs (P x) by exact: Rabs_pos_lt.
have L := is_grad_lip H; have C : 0 < 1 + norm1 g by have := norm1_ge0 g; lra.
have D : 0 < Rabs (P x) / (1 + norm1 g) by exact: Rdiv_lt_0_compat.
apply: near_mono (near_and L (near_ball x D)) => y [A B].
have E : Rabs (P y - P x) < Rabs (P x).
  apply: Rle_lt_trans A _; have -> : Rabs (P x) = (1 + norm1 g) * (Rabs (P x) / (1 + norm1 g)) by field; lra.
  exact: Rmult_lt_compat_l.
by move: E; rewrite /Rabs; case: Rcase_abs => ?; case: Rcase_abs => ?; nra.
Qed.
Theorem rule_mask_locally_constant (I : finType) (P : tensor I -> R) x g : is_grad P x g -> P x <> 0 ->
  near x (fun y => positive (P y) = positive (P x) /\ negative (P y) = negative (P x) /\ zero (P y) = zero (P x)).
Proof.
move=> H N; apply: near_mono (keeps_sign H N) => y S.
by rewrite /positive /negative /zero; repeat split; repeat (case: Rlt_dec => ? /=); repeat (case: Req_EM_T => ? /=); nra.
Qed.
(** So the gradient of mask * f is mask * gradient of f, off the kink. *)
Theorem rule_mask_gradient (I : finType) (P f : tensor I -> R) x g h : is_grad P x g -> P x <> 0 -> is_grad f x h ->
  is_grad (fun y => positive (P y) * f y) x (fun i => positive (P x) * h i).
Proof.
move=> H N F; apply: is_grad_ext_near (is_grad_scal (positive (P x)) F).
by apply: near_mono (rule_mask_locally_constant H N) => y [E _]; rewrite E.
Qed.

(** Trap: the zeros of what is 0 on an open set are no null set: max(x, 0) and its mask. *)
Theorem trap_kink_with_interior : exists x : tensor unit_finType, near x (fun y => Rmax (y tt) 0 = 0).
Proof.
exists (fun=> -1); exists 1; split=> [|y H]; first lra.
have := norm1_coord (diff y (fun=> -1)) tt; rewrite /diff => A; have := Rle_lt_trans _ _ _ A H.
by move=> /Rabs_def2 [? ?]; rewrite Rmax_right //; lra.
Qed.
