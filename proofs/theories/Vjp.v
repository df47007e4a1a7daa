(** Vector-Jacobian products: what a backward pass must be, and the rules that build one from others. *)
From Gradwright Require Export Grad.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------- VJP ---------- *)
Definition is_jac (I J : finType) (f : tensor I -> tensor J) (x : tensor I) (A : J -> tensor I) :=
  forall j, is_grad (fun y => f y j) x (A j).
Definition has_vjp (I J : finType) (f : tensor I -> tensor J) (x : tensor I) (b : tensor J -> tensor I) :=
  exists A, is_jac f x A /\ forall dy i, b dy i = \rsum_j A j i * dy j.
Definition differentiable (I J : finType) (f : tensor I -> tensor J) x := exists A, is_jac f x A.

Theorem has_vjp_pdiv (I J : finType) (f : tensor I -> tensor J) x b : has_vjp f x b ->
  differentiable f x /\ forall dy i, b dy i = \rsum_j pdiv f x i j * dy j.
Proof.
case=> A [HA Hb]; split; first by exists A.
move=> dy i; rewrite Hb; apply: eq_bigr => j _; congr (_ * _).
by rewrite /pdiv (is_derive_unique _ _ _ (is_grad_partial i (HA j))).
Qed.
Theorem has_vjp_of_pdiv (I J : finType) (f : tensor I -> tensor J) x (b : tensor J -> tensor I) :
  differentiable f x -> (forall dy i, b dy i = \rsum_j pdiv f x i j * dy j) -> has_vjp f x b.
Proof.
case=> A HA Hb; exists A; split=> // dy i; rewrite Hb; apply: eq_bigr => j _; congr (_ * _).
by rewrite /pdiv (is_derive_unique _ _ _ (is_grad_partial i (HA j))).
Qed.
Lemma has_vjp_unique (I J : finType) (f : tensor I -> tensor J) x b1 b2 :
  has_vjp f x b1 -> has_vjp f x b2 -> forall dy i, b1 dy i = b2 dy i.
Proof. by move=> /has_vjp_pdiv [_ H1] /has_vjp_pdiv [_ H2] dy i; rewrite H1 H2. Qed.
(* gradient of a loss: VJP at cotangent 1 *)
Lemma has_vjp_scalar (I : finType) (f : tensor I -> R) x g :
  is_grad f x g <-> has_vjp (fun y (_ : unit_finType) => f y) x (fun dy i => g i * dy tt).
Proof.
have U (F : unit -> R) : \rsum_u F u = F tt by rewrite (bigD1 tt) //= big1 ?Rplus_0_r // => -[].
split=> [H|[A [HA Hb]]]; first by exists (fun _ => g); split=> // dy i; rewrite U.
apply: is_grad_eqg (HA tt) => i.
by have := Hb (fun _ => 1) i; rewrite U !Rmult_1_r => ->.
Qed.

Section VJP.
Variables (I J K : finType).
Implicit Types (x : tensor I).

Lemma has_vjp_ext (f f' : tensor I -> tensor J) x b b' : (forall y j, f y j = f' y j) ->
  (forall dy i, b dy i = b' dy i) -> has_vjp f x b -> has_vjp f' x b'.
Proof.
move=> Ef Eb [A [HA Hb]]; exists A; split; last by move=> dy i; rewrite -Eb Hb.
by move=> j; apply: is_grad_ext (HA j) => y.
Qed.
Lemma has_vjp_ext_near (f f' : tensor I -> tensor J) x b : near x (fun y => forall j, f y j = f' y j) ->
  has_vjp f x b -> has_vjp f' x b.
Proof.
move=> Ef [A [HA Hb]]; exists A; split=> // j; apply: is_grad_ext_near (HA j).
by apply: near_mono Ef => y.
Qed.
Theorem vjp_comp (g : tensor I -> tensor J) (f : tensor J -> tensor K) x bg bf :
  has_vjp g x bg -> has_vjp f (g x) bf -> has_vjp (fun y => f (g y)) x (fun dy => bg (bf dy)).
Proof.
case=> A [HA Hbg] [B [HB Hbf]]; exists (fun k i => \rsum_j B k j * A j i); split.
  by move=> k; apply: (is_grad_chain (f := fun z => f z k)).
move=> dy i; rewrite Hbg; under eq_bigr do rewrite Hbf -sumZl.
rewrite sum_exch; apply: eq_bigr => k _; rewrite -sumZr; apply: eq_bigr => j _; ring.
Qed.
Theorem vjp_fanin (f g : tensor I -> tensor J) x bf bg : has_vjp f x bf -> has_vjp g x bg ->
  has_vjp (fun y j => f y j + g y j) x (fun dy i => bf dy i + bg dy i).
Proof.
case=> A [HA Hf] [B [HB Hg]]; exists (fun j i => A j i + B j i); split.
  by move=> j; apply: is_grad_plus.
by move=> dy i; rewrite Hf Hg -sumD; apply: eq_bigr => j _; ring.
Qed.
Theorem vjp_mul (f g : tensor I -> tensor J) x bf bg : has_vjp f x bf -> has_vjp g x bg ->
  has_vjp (fun y j => f y j * g y j) x
    (fun dy i => bf (fun j => g x j * dy j) i + bg (fun j => f x j * dy j) i).
Proof.
case=> A [HA Hf] [B [HB Hg]]; exists (fun j i => A j i * g x j + f x j * B j i); split.
  by move=> j; apply: is_grad_mult.
by move=> dy i; rewrite Hf Hg -sumD; apply: eq_bigr => j _; ring.
Qed.
(* the pair (f, g) as one tensor over a sum type: joins and concatenation *)
Theorem vjp_pair (f : tensor I -> tensor J) (g : tensor I -> tensor K) x bf bg : has_vjp f x bf -> has_vjp g x bg ->
  has_vjp (J := [finType of J + K]) (fun y s => match s with inl j => f y j | inr k => g y k end) x
     (fun dy i => bf (fun j => dy (inl j)) i + bg (fun k => dy (inr k)) i).
Proof.
case=> A [HA Hf] [B [HB Hg]].
exists (fun s i => match s with inl j => A j i | inr k => B k i end); split; first by case.
by move=> dy i; rewrite big_sumType /= Hf Hg.
Qed.
Lemma vjp_id x : has_vjp (fun y => y) x (fun dy => dy).
Proof. exists (fun j i => delta i j); split=> [j|dy i]; first exact: is_grad_proj.
by under eq_bigr do rewrite deltaC; rewrite sum_deltal. Qed.
Lemma vjp_const (c : tensor J) x : has_vjp (fun _ => c) x (fun _ _ => 0).
Proof. exists (fun _ _ => 0); split=> [j|dy i]; first exact: is_grad_const.
by rewrite sum0 // => j _; ring. Qed.
(* gather through an index map: backward = scatter-add = sum over the fibre *)
Theorem vjp_reindex (r : J -> I) x :
  has_vjp (fun y j => y (r j)) x (fun dy i => \rsum_(j | r j == i) dy j).
Proof.
exists (fun j i => delta i (r j)); split=> [j|dy i]; first exact: is_grad_proj.
rewrite sum_mkcond; apply: eq_bigr => j _; rewrite /delta eq_sym; case: ifP => _; ring.
Qed.
(* guarded gather (pad with a constant, masked read) *)
Theorem vjp_gather (gd : pred J) (r : J -> I) (c : tensor J) x :
  has_vjp (fun y j => if gd j then y (r j) else c j) x
         (fun dy i => \rsum_(j | gd j && (r j == i)) dy j).
Proof.
exists (fun j i => if gd j then delta i (r j) else 0); split=> [j|dy i].
  by case: (gd j); [exact: is_grad_proj | exact: is_grad_const].
rewrite sum_mkcond; apply: eq_bigr => j _; rewrite /delta eq_sym.
by case: (gd j); case: eqP => _ /=; ring.
Qed.
(* scatter-add / reduce-sum along any index map: backward = gather *)
Theorem vjp_scatter (gd : pred I) (r : I -> J) x :
  has_vjp (fun y j => \rsum_(i | gd i && (r i == j)) y i) x
         (fun dy i => if gd i then dy (r i) else 0).
Proof.
exists (fun j i => if gd i && (r i == j) then 1 else 0); split=> [j|dy i].
  apply: is_grad_ext (is_grad_affine 0 _ x) => y.
  by rewrite Rplus_0_l [RHS]sum_mkcond; apply: eq_bigr => i _; case: ifP => _; ring.
case: (gd i) => /=; last by rewrite sum0 // => j _; ring.
rewrite (eq_bigr (fun j => delta (r i) j * dy j)); last by move=> j _.
by under eq_bigr do rewrite deltaC; rewrite sum_deltal.
Qed.
Theorem vjp_linear (A : J -> I -> R) (c : tensor J) x :
  has_vjp (fun y j => c j + \rsum_i A j i * y i) x (fun dy i => \rsum_j A j i * dy j).
Proof. by exists A; split=> // j; exact: is_grad_affine. Qed.
(* pointwise map *)
Theorem vjp_map (phi : I -> R -> R) (dphi : I -> R) x :
  (forall i, is_derive (phi i) (x i) (dphi i)) ->
  has_vjp (fun y i => phi i (y i)) x (fun dy i => dphi i * dy i).
Proof.
move=> H; exists (fun j i => dphi j * delta i j); split=> [j|dy i].
  exact: (is_grad_comp1 (f := fun y => y j) (is_grad_proj j x) (H j)).
rewrite -(sum_deltal (fun i => dphi i * dy i) i); apply: eq_bigr => j _; rewrite [delta j i]deltaC; ring.
Qed.
End VJP.

(* batching: one independent function per c *)
Theorem vjp_vmap (C P Q : finType) (f : C -> tensor P -> tensor Q) (x : tensor [finType of C * P])
    (b : C -> tensor Q -> tensor P) :
  (forall c, has_vjp (f c) (fun p => x (c, p)) (b c)) ->
  has_vjp (J := [finType of C * Q]) (fun y cq => f cq.1 (fun p => y (cq.1, p)) cq.2) x
         (fun dy cp => b cp.1 (fun q => dy (cp.1, q)) cp.2).
Proof.
move=> /fin_all_exists [A HA].
exists (fun cq cp => if cp.1 == cq.1 then A cq.1 cq.2 cp.2 else 0); split.
  move=> [c q] /=; have [Hc _] := HA c.
  have S p : is_grad (fun y : tensor [finType of C * P] => y (c, p)) x (fun cp => delta cp (c, p)) by exact: is_grad_proj.
  apply: is_grad_eqg (is_grad_chain (f := fun z => f c z q) (g := fun y p => y (c, p)) S (Hc q)) => -[c' p'] /=.
  case: eqP => [->|Hc'].
    rewrite -(sum_deltar (A c q) p'); apply: eq_bigr => p _; congr (_ * _).
    by rewrite /delta xpair_eqE eqxx /= eq_sym.
  rewrite sum0 // => p _; rewrite /delta xpair_eqE; case: eqP => //= _; ring.
move=> dy [c p] /=; have [_ ->] := HA c.
transitivity (\rsum_c' \rsum_q (if c == c' then A c' q p else 0) * dy (c', q)); last first.
  by rewrite sum_pair; apply: eq_bigr => -[c' q] _.
rewrite (bigD1 c) //= [X in _ + X]big1 ?Rplus_0_r; last first.
  by move=> c' /negbTE; rewrite eq_sym => ->; rewrite sum0 // => q _; ring.
by apply: eq_bigr => q _; rewrite eqxx.
Qed.

(** The joint derivative of an operation of two operands, whatever both of them depend on. Partial
    derivatives with respect to each operand alone would not do. *)
Definition has_vjp2 (A B O : finType) (F : tensor A -> tensor B -> tensor O) x y
   (ba : tensor O -> tensor A) (bb : tensor O -> tensor B) : Prop :=
  forall (S : finType) (s : tensor S) fa fb Ba Bb, fa s = x -> fb s = y ->
  has_vjp fa s Ba -> has_vjp fb s Bb ->
  has_vjp (fun s => F (fa s) (fb s)) s (fun dy k => Ba (ba dy) k + Bb (bb dy) k).

Lemma vjp2_add (O : finType) x y :
  has_vjp2 (fun (a b : tensor O) i => a i + b i) x y (fun dy => dy) (fun dy => dy).
Proof. by move=> S s fa fb Ba Bb _ _ HA HB; exact: vjp_fanin. Qed.
Lemma vjp2_mul (O : finType) x y :
  has_vjp2 (fun (a b : tensor O) i => a i * b i) x y (fun dy i => y i * dy i) (fun dy i => x i * dy i).
Proof. by move=> S s fa fb Ba Bb <- <- HA HB; exact: vjp_mul. Qed.


(** Entry by entry: [map1 f x] has the entries [f (x i)], [map2 f x y] the entries [f (x i) (y i)]. *)
Definition map1 (I : finType) (f : R -> R) (x : tensor I) : tensor I := fun i => f (x i).
Definition map2 (I : finType) (f : R -> R -> R) (x y : tensor I) : tensor I := fun i => f (x i) (y i).

(** A function of two numbers is differentiable at (u, v), with slopes a and b. *)
Definition slopes (f : R -> R -> R) (u v a b : R) : Prop :=
  is_grad (fun z : tensor bool_finType => f (z true) (z false))
          (fun side => if side then u else v) (fun side => if side then a else b).

Theorem pull1 (I : finType) (f : R -> R) (s : I -> R) (x : tensor I) :
  (forall i, is_derive f (x i) (s i)) -> has_vjp (map1 f) x (fun g i => g i * s i).
Proof.
move=> H; apply: has_vjp_ext (vjp_map (phi := fun _ => f) H) => // g i; exact: Rmult_comm.
Qed.

Theorem pull2 (I : finType) (f : R -> R -> R) (a b : I -> R) (x y : tensor I) :
  (forall i, slopes f (x i) (y i) (a i) (b i)) ->
  has_vjp2 (map2 f) x y (fun g i => g i * a i) (fun g i => g i * b i).
Proof.
move=> H S s fa fb Ba Bb Ea Eb [A [HA EA]] [B [HB EB]].
exists (fun j k => a j * A j k + b j * B j k); split=> [j|g k]; last first.
  by rewrite EA EB -sumD; apply: eq_bigr => j _; ring.
have Hj (side : bool) : is_grad (fun s => if side then fa s j else fb s j) s (if side then A j else B j).
  by case: side; [exact: HA | exact: HB].
have E : (fun side : bool => if side then fa s j else fb s j) = (fun side => if side then x j else y j).
  by apply: functional_extensionality; case; rewrite ?Ea ?Eb.
have Hs := H j; rewrite /slopes -E in Hs.
apply: is_grad_ext (is_grad_eqg _ (is_grad_chain (g := fun s (side : bool_finType) => if side then fa s j else fb s j) Hj Hs)) => // i.
by rewrite big_bool.
Qed.

(** What does not change near a point has the derivative 0 there. *)
Definition locally_constant (I J : finType) (f : tensor I -> tensor J) (x : tensor I) : Prop :=
  near x (fun y => forall j, f y j = f x j).
Theorem pull_locally_constant (I J : finType) (f : tensor I -> tensor J) x :
  locally_constant f x -> has_vjp f x (fun _ _ => 0).
Proof.
move=> H; apply: has_vjp_ext_near (vjp_const (f x) x).
by apply: near_mono H => y E j; rewrite E.
Qed.
