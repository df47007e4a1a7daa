(** The library's gradient is Coquelicot's differential, and a backward pass is the transpose of it. *)
From Gradwright Require Export Vjp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** Tensors as a normed space, by the sum of absolute values (all norms on it are equivalent) *)
Section Space.
Variable I : finType.
Implicit Types x y z : tensor I.
Definition sum_of x y : tensor I := fun i => x i + y i.
Definition opposite_of x : tensor I := fun i => - x i.
Definition zeros : tensor I := fun=> 0.
Definition multiple_of (a : R) x : tensor I := fun i => a * x i.
Definition within x (e : R) y : Prop := norm1 (diff y x) < e.
Local Ltac by_entry := move=> *; apply: functional_extensionality => ?;
  rewrite /plus /mult /one /= /sum_of /opposite_of /zeros /multiple_of; ring.

Lemma sum_ofC x y : sum_of x y = sum_of y x. Proof. by by_entry. Qed.
Lemma sum_ofA x y z : sum_of x (sum_of y z) = sum_of (sum_of x y) z. Proof. by by_entry. Qed.
Lemma sum_of_zeros x : sum_of x zeros = x. Proof. by by_entry. Qed.
Lemma sum_of_opposite x : sum_of x (opposite_of x) = zeros. Proof. by by_entry. Qed.
Definition tensor_group := AbelianGroup.Mixin (tensor I) _ _ _ sum_ofC sum_ofA sum_of_zeros sum_of_opposite.
Canonical tensor_AbelianGroup := AbelianGroup.Pack (tensor I) tensor_group (tensor I).

Lemma multiple_ofA (a b : R_Ring) x : multiple_of a (multiple_of b x) = multiple_of (mult a b) x.
Proof. by by_entry. Qed.
Lemma multiple_of_1 x : multiple_of (@one R_Ring) x = x. Proof. by by_entry. Qed.
Lemma multiple_ofDr (a : R_Ring) x y : multiple_of a (plus x y) = plus (multiple_of a x) (multiple_of a y).
Proof. by by_entry. Qed.
Lemma multiple_ofDl (a b : R_Ring) x : multiple_of (plus a b) x = plus (multiple_of a x) (multiple_of b x).
Proof. by by_entry. Qed.
Definition tensor_module := ModuleSpace.Mixin R_Ring tensor_AbelianGroup multiple_of
  multiple_ofA multiple_of_1 multiple_ofDr multiple_ofDl.
Canonical tensor_ModuleSpace :=
  ModuleSpace.Pack R_Ring (tensor I) (ModuleSpace.Class R_Ring (tensor I) tensor_group tensor_module) (tensor I).

Lemma within_centre x (e : posreal) : within x e x.
Proof. by rewrite /within norm1_xx; exact: cond_pos. Qed.
Lemma norm1_triangle x y : norm1 (sum_of x y) <= norm1 x + norm1 y.
Proof. by rewrite /norm1 -sumD; apply: sum_le => i _; exact: Rabs_triang. Qed.
Lemma norm1_opposite x : norm1 (opposite_of x) = norm1 x.
Proof. by apply: eq_bigr => i _; rewrite /opposite_of Rabs_Ropp. Qed.
Lemma within_sym x y e : within x e y -> within y e x.
Proof.
rewrite /within -norm1_opposite (_ : opposite_of _ = diff x y) //.
by apply: functional_extensionality => i; rewrite /opposite_of /diff; ring.
Qed.
Lemma within_triangle x y z e1 e2 : within x e1 y -> within y e2 z -> within x (e1 + e2) z.
Proof.
rewrite /within => A B; have -> : diff z x = sum_of (diff y x) (diff z y).
  by apply: functional_extensionality => i; rewrite /sum_of /diff; ring.
by have := norm1_triangle (diff y x) (diff z y); lra.
Qed.
Definition tensor_uniform := UniformSpace.Mixin (tensor I) zeros within within_centre within_sym within_triangle.
Canonical tensor_UniformSpace := UniformSpace.Pack (tensor I) tensor_uniform (tensor I).
Canonical tensor_NormedModuleAux := NormedModuleAux.Pack R_AbsRing (tensor I)
  (NormedModuleAux.Class R_AbsRing (tensor I) (ModuleSpace.class R_Ring tensor_ModuleSpace) tensor_uniform) (tensor I).

Lemma norm1_multiple (a : R_AbsRing) x : norm1 (scal a x) <= abs a * norm1 x.
Proof.
apply: Req_le; rewrite /norm1 -sumZl; apply: eq_bigr => i _; exact: Rabs_mult.
Qed.
Lemma minusE x y : minus y x = diff y x. Proof. by []. Qed.
Lemma within_norm x y (e : R) : norm1 (minus y x) < e -> within x e y. Proof. by []. Qed.
Lemma norm_within x y (e : posreal) : within x e y -> norm1 (minus y x) < 1 * e.
Proof. by rewrite Rmult_1_l. Qed.
Lemma norm1_eq0 x : norm1 x = 0 -> x = zero.
Proof.
move=> H; apply: functional_extensionality => i; have := norm1_coord x i; rewrite H.
by move=> K; apply: Rabs_eq_0; have := Rabs_pos (x i); lra.
Qed.
Definition tensor_norm := NormedModule.Mixin R_AbsRing tensor_NormedModuleAux (@norm1 I) 1
  norm1_triangle norm1_multiple within_norm norm_within norm1_eq0.
Canonical tensor_NormedModule := NormedModule.Pack R_AbsRing (tensor I)
  (NormedModule.Class R_AbsRing (tensor I) (NormedModuleAux.class R_AbsRing tensor_NormedModuleAux) tensor_norm) (tensor I).
End Space.

Lemma near_locally (I : finType) (x : tensor I) (P : tensor I -> Prop) : near x P <-> locally x P.
Proof.
split=> [[d [d0 H]]|[d H]]; first by exists (mkposreal d d0) => y; exact: H.
by exists d; split; [exact: cond_pos | move=> y; exact: H].
Qed.

Section Differential.
Variables (I J : finType) (f : tensor I -> tensor J) (x : tensor I) (A : J -> tensor I).
Definition linear_map (h : tensor I) : tensor J := fun j => \rsum_i A j i * h i.
Lemma linear_map_linear : is_linear linear_map.
Proof.
split=> [h k|a h|].
- by apply: functional_extensionality => j; rewrite /plus /= /sum_of -sumD; apply: eq_bigr => i _; ring.
- by apply: functional_extensionality => j; rewrite /scal /= /multiple_of -sumZl; apply: eq_bigr => i _; ring.
exists (\rsum_j norm1 (A j) + 1); split.
  by have : 0 <= \rsum_j norm1 (A j) by [apply: sum_ge0 => j _; exact: norm1_ge0]; lra.
move=> h; apply: (Rle_trans _ ((\rsum_j norm1 (A j)) * norm1 h)).
  by rewrite -sumZr; apply: sum_le => j _; exact: dot_le.
by have := norm1_ge0 h; rewrite /norm /=; lra.
Qed.
(** Entry by entry differentiable, in the sense of the library, is differentiable in Coquelicot's. *)
Theorem is_jac_filterdiff : is_jac f x A <-> filterdiff f (locally x) linear_map.
Proof.
split=> [H|[_ H] j eps eps0]; last first.
  have D := H x (fun P => id) (mkposreal eps eps0); apply/near_locally.
  move: D; apply: filter_imp => y /=; apply: Rle_trans.
  exact: (norm1_coord (minus (minus (f y) (f x)) (linear_map (minus y x))) j).
split=> [|z Hz eps]; first exact: linear_map_linear.
have <- : x = z by apply: is_filter_lim_locally_unique.
pose c := INR #|J| + 1; have c0 : 0 < c by have := pos_INR #|J|; rewrite /c; lra.
have e0 : 0 < eps / c by apply: Rdiv_lt_0_compat => //; exact: cond_pos.
have N := near_all (fun j => H j _ e0).
apply/near_locally; apply: near_mono N => y Hy.
apply: (Rle_trans _ (\rsum_(j : J) eps / c * norm1 (diff y x))).
  by apply: sum_le => j _; exact: Hy.
rewrite sum_const; have P := norm1_ge0 (diff y x); have E := cond_pos eps.
have -> : INR #|J| * (eps / c * norm1 (diff y x)) = eps * norm1 (diff y x) - eps / c * norm1 (diff y x).
  by rewrite /c; field; rewrite -/c; lra.
by have := Rmult_le_pos _ _ (Rlt_le _ _ e0) P; rewrite /norm /= minusE; lra.
Qed.
End Differential.

Theorem is_grad_filterdiff (I : finType) (f : tensor I -> R) (x g : tensor I) :
  is_grad f x g <-> filterdiff f (locally x) (fun h => \rsum_i g i * h i).
Proof.
have L : is_linear (fun h : tensor I => \rsum_i g i * h i).
  split=> [h k|a h|].
  - by rewrite /plus /= -sumD; apply: eq_bigr => i _; rewrite /sum_of; ring.
  - by rewrite /scal /= /mult /= -sumZl; apply: eq_bigr => i _; rewrite /multiple_of; ring.
  exists (norm1 g + 1); split; first by have := norm1_ge0 g; lra.
  by move=> h; have := dot_le g h; have := norm1_ge0 h; rewrite /norm /= /abs /=; lra.
split=> [H|[_ H] eps eps0].
  split=> // z Hz eps; have <- : x = z by apply: is_filter_lim_locally_unique.
  by apply/near_locally; apply: near_mono (H eps (cond_pos eps)).
by apply/near_locally; exact: (H x (fun P => id) (mkposreal eps eps0)).
Qed.

(** So a backward pass is right when it is the transpose of the differential: <b g, h> = <g, Df h>. *)
Definition unit_at (I : finType) (i : I) : tensor I := fun k => delta k i.
Lemma linear_by_entries (I J : finType) (D : tensor I -> tensor J) : is_linear D ->
  forall h, D h = fun j => \rsum_i D (unit_at i) j * h i.
Proof.
move=> L h; have E : h = \big[(@plus _)/zero]_i scal (h i) (unit_at i).
  apply: functional_extensionality => k.
  have -> : (\big[(@plus _)/zero]_i scal (h i) (unit_at i)) k = \rsum_i h i * delta k i.
    by elim/big_rec2: _ => // i a b _; rewrite /plus /= /sum_of => ->.
  by under eq_bigr do rewrite deltaC; rewrite sum_deltar.
rewrite {1}E; apply: functional_extensionality => j.
have -> : D (\big[(@plus _)/zero]_i scal (h i) (unit_at i)) j = \rsum_i D (scal (h i) (unit_at i)) j.
  elim/big_rec2: _ => [|i a b _ <-]; first by rewrite linear_zero.
  by rewrite linear_plus.
by apply: eq_bigr => i _; rewrite linear_scal // /scal /= /multiple_of; ring.
Qed.
Theorem has_vjp_transpose (I J : finType) (f : tensor I -> tensor J) x b :
  has_vjp f x b <-> exists2 D, filterdiff f (locally x) D &
    forall g h, \rsum_i b g i * h i = \rsum_j g j * D h j.
Proof.
split=> [[A [/is_jac_filterdiff HA Hb]]|[D HD H]].
  exists (linear_map A) => // g h; under eq_bigr do rewrite Hb -sumZr.
  rewrite sum_exch; apply: eq_bigr => j _; rewrite /linear_map -sumZl.
  by apply: eq_bigr => i _; ring.
have L := HD.1; exists (fun j i => D (unit_at i) j); split.
  apply/is_jac_filterdiff; apply: filterdiff_ext_lin HD _ => h.
  exact: linear_by_entries.
move=> g i; have := H g (unit_at i); rewrite sum_deltar => ->.
by apply: eq_bigr => j _; ring.
Qed.
