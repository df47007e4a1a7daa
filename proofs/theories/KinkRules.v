(** Kinks: where a mask does not change, and why the zeros of an argument may be left out. *)
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

(** [P = 0] is read as 0 where P is an entry of an argument, or c times such an entry plus what does
    not read it: every line along that entry meets the zeros in exactly one point. (By Fubini's
    theorem, which is not formalised here, such a set of inputs is null.) *)
Definition does_not_read (I : finType) (f : tensor I -> R) (e : I) : Prop := forall x t, f (upd x e t) = f x.
Theorem rule_kink_one_per_line (I : finType) (rest : tensor I -> R) (e : I) (c : R) : c <> 0 -> does_not_read rest e ->
  forall x, exists! t, c * upd x e t e + rest (upd x e t) = 0.
Proof.
move=> c0 H x; exists (- rest x / c); rewrite /upd eqxx -/(upd x e _); split.
  by rewrite -/(upd x e (- rest x / c)) H; field.
by move=> t; rewrite -/(upd x e t) H => E; apply: (Rmult_eq_reg_l c) => //; field_simplify => //; lra.
Qed.
(** A value that no open set makes 0: the zeros of P, as above, have no interior. *)
Theorem rule_kink_no_interior (I : finType) (rest : tensor I -> R) (e : I) (c : R) : c <> 0 -> does_not_read rest e ->
  forall x, ~ near x (fun y => c * y e + rest y = 0).
Proof.
move=> c0 H x [d [d0 N]]; have Z0 : c * x e + rest x = 0 by apply: N; rewrite norm1_xx.
have D : norm1 (diff (upd x e (x e + d / 2)) x) < d.
  rewrite /norm1 (eq_bigr (fun k => delta k e * (d / 2))) => [|k _]; first by rewrite (sum_deltal (fun=> d / 2)); lra.
  rewrite /diff /upd /delta; case: eqP => [->|_]; last by rewrite Rminus_eq_0 Rabs_R0; ring.
  by rewrite (_ : x e + d / 2 - x e = d / 2) ?Rabs_right; lra.
by have := N _ D; rewrite H /upd eqxx => E; nra.
Qed.
(** A sum of products of different arguments over all indices is affine in each entry, with a slope
    that is again such a sum of fewer arguments. *)
Theorem rule_kink_product (P A B : finType) (ia : P -> A) (ib : P -> B) (b : tensor B) (p : P) (a : tensor A) t :
  \rsum_q upd a (ia p) t (ia q) * b (ib q) =
  (\rsum_(q | ia q == ia p) b (ib q)) * t + \rsum_(q | ia q != ia p) a (ia q) * b (ib q).
Proof.
rewrite (bigID (fun q => ia q == ia p)) /= -sumZr; congr (_ + _); apply: eq_bigr => q; rewrite /upd.
  by move=> ->; ring.
by move=> /negbTE ->.
Qed.
(** Trap: the zeros of what is 0 on an open set are no null set: max(x, 0) and its mask. *)
Theorem trap_kink_with_interior : exists x : tensor unit_finType, near x (fun y => Rmax (y tt) 0 = 0).
Proof.
exists (fun=> -1); exists 1; split=> [|y H]; first lra.
have := norm1_coord (diff y (fun=> -1)) tt; rewrite /diff => A; have := Rle_lt_trans _ _ _ A H.
by move=> /Rabs_def2 [? ?]; rewrite Rmax_right //; lra.
Qed.
