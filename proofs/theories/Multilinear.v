(** The one rule for everything multilinear: exchange an operand with the result. *)
From Gradwright Require Export Contract.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Notation "\rprod_ ( i | P ) F" := (\big[Rmult/1%R]_(i | P%B) F%R) (at level 36, F at level 36, i at level 50).
Notation "\rprod_ i F" := (\big[Rmult/1%R]_i F%R) (at level 36, F at level 36, i at level 0).

(** [form gd oo r x o] is the sum, over the points p where the guards [gd] hold and whose result
    index [oo p] is o, of the product over q of the entries [x (r q p)]. The operands together are
    one tensor x, so that an operand may be read more than once. *)
Definition form (Q P O I : finType) (gd : pred P) (oo : P -> O) (r : Q -> P -> I) (x : tensor I) : tensor O :=
  fun o => \rsum_(p | gd p && (oo p == o)) \rprod_q x (r q p).

Lemma is_grad_prod_seq (I : finType) (Q : eqType) (s : seq Q) (f : Q -> tensor I -> R) x (g : Q -> tensor I) :
  uniq s -> (forall q, is_grad (f q) x (g q)) ->
  is_grad (fun y => \big[Rmult/1]_(q <- s) f q y) x
    (fun i => \big[Rplus/0]_(q <- s) (g q i * \big[Rmult/1]_(q' <- s | q' != q) f q' x)).
Proof.
move=> U H; elim: s U => [_|q s IH /= /andP [qs U]].
  apply: is_grad_ext (is_grad_eqg _ (is_grad_const 1 x)) => [y|i]; by rewrite big_nil.
apply: is_grad_ext (is_grad_eqg _ (is_grad_mult (H q) (IH U))) => [y|i]; first by rewrite big_cons.
rewrite big_cons; congr (_ + _).
  congr (_ * _); rewrite big_cons eqxx /= big_seq_cond [RHS]big_seq_cond; apply: eq_bigl => q'.
  by case E: (q' \in s) => //=; case: eqP => // Eq; rewrite -Eq E in qs.
rewrite big_distrr /= !big_seq; apply: eq_bigr => q' q's; rewrite big_cons.
by have -> : (q != q') by [apply: contraNneq qs => ->]; ring.
Qed.
Lemma is_grad_prod (I Q : finType) (f : Q -> tensor I -> R) x (g : Q -> tensor I) :
  (forall q, is_grad (f q) x (g q)) ->
  is_grad (fun y => \rprod_q f q y) x (fun i => \rsum_q g q i * \rprod_(q' | q' != q) f q' x).
Proof.
have E1 (F : Q -> R) : \big[Rmult/1]_(q <- enum Q) F q = \rprod_q F q by rewrite big_enum.
have E2 (F : Q -> R) q : \big[Rmult/1]_(q' <- enum Q | q' != q) F q' = \rprod_(q' | q' != q) F q'.
  by rewrite big_enum_cond.
move=> H; apply: is_grad_ext (is_grad_eqg _ (is_grad_prod_seq (enum_uniq Q) H)) => [y|i]; first exact: E1.
by rewrite big_enum /=; apply: eq_bigr => q _; rewrite E2.
Qed.

(** All operands at once: one contribution for each place q of the product. *)
Theorem vjp_form (Q P O I : finType) (gd : pred P) (oo : P -> O) (r : Q -> P -> I) (x : tensor I) :
  has_vjp (form gd oo r) x (fun dy i =>
    \rsum_q \rsum_(p | gd p && (r q p == i)) (\rprod_(q' | q' != q) x (r q' p)) * dy (oo p)).
Proof.
exists (fun o i => \rsum_(p | gd p && (oo p == o)) \rsum_q delta i (r q p) * \rprod_(q' | q' != q) x (r q' p)); split.
  by move=> o; apply: is_grad_sum => p _; apply: is_grad_prod => q; exact: is_grad_proj.
move=> dy i; rewrite sum_fibre.
transitivity (\rsum_(p | gd p) \rsum_q (delta i (r q p) * \rprod_(q' | q' != q) x (r q' p)) * dy (oo p)); last first.
  by apply: eq_bigr => p _; rewrite sumZr.
rewrite exchange_big /=; apply: eq_bigr => q _; rewrite big_mkcondr; apply: eq_bigr => p _.
by rewrite /delta eq_sym; case: ifP => _; ring.
Qed.

(** One operand, the others being the coefficients c: the transposed form has the same points and
    coefficients, with the operand's index and the result's exchanged. *)
Definition linear_form (P O I : finType) (gd : pred P) (oo : P -> O) (ia : P -> I) (c : P -> R)
    (a : tensor I) : tensor O := fun o => \rsum_(p | gd p && (oo p == o)) c p * a (ia p).
Theorem transpose_form (P O I : finType) (gd : pred P) (oo : P -> O) (ia : P -> I) (c : P -> R) (a : tensor I) :
  has_vjp (linear_form gd oo ia c) a (linear_form gd ia oo c).
Proof.
exists (fun o i => \rsum_(p | gd p && (oo p == o)) c p * delta i (ia p)); split.
  by move=> o; apply: is_grad_sum => p _; apply: is_grad_scal (is_grad_proj (ia p) a).
move=> dy i; rewrite sum_fibre /linear_form big_mkcondr; apply: eq_bigr => p _.
by rewrite /delta eq_sym; case: ifP => _; ring.
Qed.
(** Transposing twice gives the form back. *)
Theorem transpose_twice (P O I : finType) (gd : pred P) (oo : P -> O) (ia : P -> I) (c : P -> R) (x : tensor I) (dy : tensor O) :
  \rsum_o linear_form gd oo ia c x o * dy o = \rsum_i x i * linear_form gd ia oo c dy i.
Proof.
rewrite sum_fibre; transitivity (\rsum_i linear_form gd ia oo c dy i * x i); last by apply: eq_bigr => i _; ring.
by rewrite sum_fibre; apply: eq_bigr => p _; ring.
Qed.

(** ** Operations that move, sum or contract elements *)

(** Any reading of one operand at index maps, within its box or not, is a form with coefficient 1. *)
Section Moves.
Variables (I J : finType).

(** transpose and reshape renumber: b is the inverse numbering. *)
Theorem pull_transpose (r : J -> I) (b : I -> J) (x : tensor I) : cancel r b -> cancel b r ->
  has_vjp (fun y j => y (r j)) x (fun g i => g (b i)).
Proof.
move=> rb br; apply: has_vjp_ext (vjp_reindex r x) => // g i.
rewrite (bigD1 (b i)) /= ?br ?eqxx // big1 ?Rplus_0_r // => j /andP [/eqP <-].
by rewrite rb eqxx.
Qed.
Theorem pull_reshape (r : J -> I) (b : I -> J) (x : tensor I) : cancel r b -> cancel b r ->
  has_vjp (fun y j => y (r j)) x (fun g i => g (b i)).
Proof. exact: pull_transpose. Qed.
(** broadcast_in_dim: every copy hands its cotangent back. *)
Theorem pull_broadcast_in_dim (r : J -> I) (x : tensor I) :
  has_vjp (fun y j => y (r j)) x (fun g i => \rsum_(j | r j == i) g j).
Proof. exact: vjp_reindex. Qed.
(** slice: an element that is kept has one place, any other gets 0. *)
Theorem pull_slice (r : J -> I) (place : I -> option J) (x : tensor I) :
  (forall i j, place i = Some j <-> r j = i) ->
  has_vjp (fun y j => y (r j)) x (fun g i => if place i is Some j then g j else 0).
Proof.
move=> H; apply: has_vjp_ext (vjp_reindex r x) => // g i; case E: (place i) => [j|].
  rewrite (bigD1 j) /=; last by apply/eqP; apply/H.
  rewrite big1 ?Rplus_0_r // => j' /andP [/eqP /H]; rewrite E => -[->]; by rewrite eqxx.
by rewrite big1 // => j /eqP /H; rewrite E.
Qed.
(** pad: element i goes to place (i), the rest is constant. *)
Theorem pull_pad (place : I -> J) (c : tensor J) (x : tensor I) :
  has_vjp (fun y j => c j + \rsum_(i | place i == j) y i) x (fun g i => g (place i)).
Proof.
apply: has_vjp_ext (vjp_fanin (vjp_const c x) (vjp_scatter xpredT place x)) => // g i /=; ring.
Qed.
(** reduce by addition, and windowed sums: entry i counts in every result that it reaches. *)
Theorem pull_reduce (r : I -> J) (x : tensor I) :
  has_vjp (fun y j => \rsum_(i | r i == j) y i) x (fun g i => g (r i)).
Proof. by apply: has_vjp_ext (vjp_scatter xpredT r x). Qed.
Theorem pull_reduce_window (P : finType) (inside : pred P) (window : P -> J) (entry : P -> I) (x : tensor I) :
  has_vjp (fun y j => \rsum_(p | inside p && (window p == j)) y (entry p)) x
          (fun g i => \rsum_(p | inside p && (entry p == i)) g (window p)).
Proof.
have := transpose_form inside window entry (fun=> 1) x.
by apply: has_vjp_ext => [y j|g i]; apply: eq_bigr => p _; ring.
Qed.
(** dynamic_slice and gather read at computed places: m is 1 where the place is the index read.
    The places are integers, hence locally constant. *)
Theorem pull_gather (P : finType) (result : P -> J) (entry : P -> I) (m : P -> R) (x : tensor I) :
  has_vjp (linear_form xpredT result entry m) x (linear_form xpredT entry result m).
Proof. exact: transpose_form. Qed.
Theorem pull_dynamic_slice (P : finType) (result : P -> J) (entry : P -> I) (m : P -> R) (x : tensor I) :
  has_vjp (linear_form xpredT result entry m) x (linear_form xpredT entry result m).
Proof. exact: transpose_form. Qed.
(** scatter and dynamic_update_slice: what is left of the operand, plus the updates at their places. *)
Theorem pull_scatter (P : finType) (result : P -> J) (entry : P -> I) (m : P -> R) (left : tensor J)
    (x : tensor J) (u : tensor I) :
  has_vjp2 (fun x u j => x j * left j + linear_form xpredT result entry m u j) x u
    (fun g j => g j * left j) (linear_form xpredT entry result m).
Proof.
move=> S s fx fu Bx Bu _ _ Hx Hu; apply: has_vjp_ext (vjp_fanin
  (vjp_comp (f := fun y j => y j * left j) (bf := fun g j => g j * left j) Hx _)
  (vjp_comp Hu (transpose_form xpredT result entry m (fu s)))) => //.
have := vjp_map (phi := fun j t => t * left j) (x := fx s) (dphi := left).
move=> /(_ (fun j => ltac:(by auto_derive => //; ring))); apply: has_vjp_ext => // g j; ring.
Qed.
Theorem pull_dynamic_update_slice (P : finType) (result : P -> J) (entry : P -> I) (m : P -> R) (left : tensor J)
    (x : tensor J) (u : tensor I) :
  has_vjp2 (fun x u j => x j * left j + linear_form xpredT result entry m u j) x u
    (fun g j => g j * left j) (linear_form xpredT entry result m).
Proof. exact: pull_scatter. Qed.
End Moves.
Theorem pull_reverse (I : finType) (r : I -> I) (x : tensor I) : involutive r ->
  has_vjp (fun y j => y (r j)) x (fun g i => g (r i)).
Proof. by move=> H; apply: pull_transpose. Qed.

(** concatenate: each operand gets the cotangent of the part that it fills. *)
Theorem pull_concatenate (I J : finType) (x : tensor I) (y : tensor J) :
  has_vjp2 (O := [finType of I + J]) (fun x y k => match k with inl i => x i | inr j => y j end) x y
    (fun g i => g (inl i)) (fun g j => g (inr j)).
Proof. by move=> S s fa fb Ba Bb _ _ Ha Hb; exact: vjp_pair. Qed.

(** dot_general and convolution, both operands together: the rule of [vjp2_contract]. *)
Theorem pull_dot_general (P O A B : finType) (oo : P -> O) (ia : P -> A) (ib : P -> B) (a : tensor A) (b : tensor B) :
  has_vjp2 (contract xpredT oo ia ib) a b (contract xpredT ia ib oo b) (contract xpredT ib ia oo a).
Proof. exact: vjp2_contract. Qed.
Theorem pull_convolution (P O A B : finType) (hit : pred P) (oo : P -> O) (ia : P -> A) (ib : P -> B) (a : tensor A) (b : tensor B) :
  has_vjp2 (contract hit oo ia ib) a b (contract hit ia ib oo b) (contract hit ib ia oo a).
Proof. exact: vjp2_contract. Qed.
