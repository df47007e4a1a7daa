(** Kinks: off them a mask does not change, and is a constant to a derivative rule. *)
From Gradwright Require Export Vjp MaskRules.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** Near a point where a differentiable P is not 0, or near which P is 0, its masks do not change: they
    are constants to a derivative rule. *)
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
Definition off_kink (I : finType) (P : tensor I -> R) (x : tensor I) : Prop :=
  (exists2 g, is_grad P x g & P x <> 0) \/ near x (fun y => P y = 0).
Theorem rule_mask_locally_constant (I : finType) (P : tensor I -> R) x : off_kink P x ->
  near x (fun y => positive (P y) = positive (P x) /\ negative (P y) = negative (P x) /\ zero (P y) = zero (P x)).
Proof.
case=> [[g H N]|Z]; last by have Zx := near_pt Z; apply: near_mono Z => y ->; rewrite Zx.
apply: near_mono (keeps_sign H N) => y S.
by rewrite /positive /negative /zero; repeat split; repeat (case: Rlt_dec => ? /=); repeat (case: Req_EM_T => ? /=); nra.
Qed.
(** So the gradient of mask * f is mask * gradient of f, off the kink. *)
Theorem rule_mask_gradient (I : finType) (P f : tensor I -> R) x h : off_kink P x -> is_grad f x h ->
  is_grad (fun y => positive (P y) * f y) x (fun i => positive (P x) * h i).
Proof.
move=> O F; apply: is_grad_ext_near (is_grad_scal (positive (P x)) F).
by apply: near_mono (rule_mask_locally_constant O) => y [E _]; rewrite E.
Qed.
(** A maximum of two values hands the cotangent to the one that is larger; where the two agree near
    the point, shares of any sizes that add up to 1 are right, since both have one derivative. *)
Theorem vjp_maximum_off_kinks (S I : finType) (f h : tensor S -> tensor I) s bf bh (w : I -> R) :
  has_vjp f s bf -> has_vjp h s bh -> (forall i, off_kink (fun y => f y i - h y i) s) ->
  (forall i, f s i <> h s i -> w i = positive (f s i - h s i)) ->
  has_vjp (fun y i => Rmax (f y i) (h y i)) s
    (fun g k => bf (fun i => w i * g i) k + bh (fun i => (1 - w i) * g i) k).
Proof.
case=> A [HA EA] [B [HB EB]] O W; exists (fun i k => w i * A i k + (1 - w i) * B i k); split; last first.
  by move=> g k; rewrite EA EB -sumD; apply: eq_bigr => i _; ring.
move=> i; case: (O i) => [[g H N]|Z].
  have ne : f s i <> h s i by lra.
  have K := keeps_sign H N; rewrite (W i ne) /positive; case: Rlt_dec => P /=.
    apply: is_grad_ext_near (is_grad_eqg _ (HA i)) => [|k]; last by ring.
    by apply: near_mono K => y Hy; rewrite Rmax_left //; nra.
  apply: is_grad_ext_near (is_grad_eqg _ (HB i)) => [|k]; last by ring.
  by apply: near_mono K => y Hy; rewrite Rmax_right //; nra.
have E : forall k, A i k = B i k.
  apply: is_grad_unique (HA i) _; apply: is_grad_ext_near (HB i).
  by apply: near_mono Z => y Hy; lra.
apply: is_grad_ext_near (is_grad_eqg _ (HA i)) => [|k]; last by rewrite -E; ring.
by apply: near_mono Z => y Hy; rewrite Rmax_left //; lra.
Qed.
(** Trap: the zeros of what is 0 on an open set are no null set: max(x, 0) and its mask. *)
Theorem trap_kink_with_interior : exists x : tensor unit_finType, near x (fun y => Rmax (y tt) 0 = 0).
Proof.
exists (fun=> -1); exists 1; split=> [|y H]; first lra.
have := norm1_coord (diff y (fun=> -1)) tt; rewrite /diff => A; have := Rle_lt_trans _ _ _ A H.
by move=> /Rabs_def2 [? ?]; rewrite Rmax_right //; lra.
Qed.
