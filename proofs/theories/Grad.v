(** Tensors as functions of a finite set of indices, and their Frechet gradient, with the chain rule. *)
From Gradwright Require Export Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------- tensors, neighbourhoods, gradient ---------- *)
Definition tensor (I : finType) := I -> R.
Definition norm1 (I : finType) (x : tensor I) : R := \rsum_i Rabs (x i).
Definition diff (I : finType) (x y : tensor I) : tensor I := fun i => x i - y i.
Definition near (I : finType) (x : tensor I) (P : tensor I -> Prop) : Prop :=
  exists d, 0 < d /\ forall y, norm1 (diff y x) < d -> P y.
(* Frechet differentiability at x with gradient g *)
Definition is_grad (I : finType) (f : tensor I -> R) (x : tensor I) (g : tensor I) : Prop :=
  forall eps, 0 < eps -> near x (fun y =>
    Rabs (f y - f x - \rsum_i g i * diff y x i) <= eps * norm1 (diff y x)).

Lemma norm1_ge0 (I : finType) (x : tensor I) : 0 <= norm1 x.
Proof. by apply: sum_ge0 => i _; exact: Rabs_pos. Qed.
Lemma norm1_coord (I : finType) (x : tensor I) i : Rabs (x i) <= norm1 x.
Proof. exact: (sum_term_le (F := fun i => Rabs (x i)) i (fun i => Rabs_pos (x i))). Qed.
Lemma norm1_xx (I : finType) (x : tensor I) : norm1 (diff x x) = 0.
Proof. by apply: sum0 => i _; rewrite /diff Rminus_eq_0 Rabs_R0. Qed.
Lemma dot_le (I : finType) (g h : tensor I) : Rabs (\rsum_i g i * h i) <= norm1 g * norm1 h.
Proof.
apply: Rle_trans (sum_abs _ _) _; rewrite /norm1 -sumZr; apply: sum_le => i _.
rewrite Rabs_mult; apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: norm1_coord].
Qed.

Section Near.
Variables (I : finType) (x : tensor I).
Lemma near_pt P : near x P -> P x.
Proof. by case=> d [d0 H]; apply: H; rewrite norm1_xx. Qed.
Lemma near_true (P : tensor I -> Prop) : (forall y, P y) -> near x P.
Proof. by move=> H; exists 1; split=> [|y _]; [lra | exact: H]. Qed.
Lemma near_mono (P Q : tensor I -> Prop) : (forall y, P y -> Q y) -> near x P -> near x Q.
Proof. by move=> PQ [d [d0 H]]; exists d; split=> // y /H /PQ. Qed.
Lemma near_and (P Q : tensor I -> Prop) : near x P -> near x Q -> near x (fun y => P y /\ Q y).
Proof.
case=> d [d0 H] [e [e0 K]]; exists (Rmin d e); split; first exact: Rmin_pos.
move=> y Hy; split; [apply: H | apply: K]; apply: Rlt_le_trans Hy _; [exact: Rmin_l | exact: Rmin_r].
Qed.
Lemma near_ball d : 0 < d -> near x (fun y => norm1 (diff y x) < d).
Proof. by move=> d0; exists d. Qed.
Lemma near_all (K : finType) (P : K -> tensor I -> Prop) :
  (forall k, near x (P k)) -> near x (fun y => forall k, P k y).
Proof.
move=> H; suff S (s : seq K) : near x (fun y => forall k, k \in s -> P k y).
  by apply: near_mono (S (enum K)) => y Hy k; apply: Hy; rewrite mem_enum.
elim: s => [|k s IH]; first exact: near_true.
by apply: near_mono (near_and (H k) IH) => y [Hk Hs] k'; rewrite inE => /orP [/eqP ->|/Hs].
Qed.
End Near.

Section Grad.
Variable I : finType.
Implicit Types (f : tensor I -> R) (x g : tensor I).

Lemma is_grad_ext_near f1 f2 x g : near x (fun y => f1 y = f2 y) -> is_grad f1 x g -> is_grad f2 x g.
Proof.
move=> E H eps eps0; have Ex := near_pt E.
by apply: near_mono (near_and E (H eps eps0)) => y [<-]; rewrite Ex.
Qed.
Lemma is_grad_ext f1 f2 x g : (forall y, f1 y = f2 y) -> is_grad f1 x g -> is_grad f2 x g.
Proof. by move=> E; apply: is_grad_ext_near; apply: near_true. Qed.
Lemma is_grad_eqg f x g1 g2 : (forall i, g1 i = g2 i) -> is_grad f x g1 -> is_grad f x g2.
Proof. move=> E H; suff -> : g2 = g1 by []. by apply: functional_extensionality. Qed.
Lemma is_grad_affine c g x : is_grad (fun y => c + \rsum_i g i * y i) x g.
Proof.
move=> eps eps0; apply: near_true => y.
have -> : c + \rsum_i g i * y i - (c + \rsum_i g i * x i) - \rsum_i g i * diff y x i = 0.
  have -> : \rsum_i g i * diff y x i = \rsum_i g i * y i - \rsum_i g i * x i.
    by rewrite -sumB; apply: eq_bigr => i _; rewrite /diff; ring.
  ring.
by rewrite Rabs_R0; apply: Rmult_le_pos; [lra | exact: norm1_ge0].
Qed.
Lemma is_grad_const c x : is_grad (fun _ => c) x (fun _ => 0).
Proof.
apply: is_grad_ext (is_grad_affine c (fun _ => 0) x) => y.
by rewrite sum0 ?Rplus_0_r // => i _; ring.
Qed.
Lemma is_grad_proj i x : is_grad (fun y => y i) x (fun k => delta k i).
Proof.
apply: is_grad_ext (is_grad_affine 0 (fun k => delta k i) x) => y.
by rewrite sum_deltal Rplus_0_l.
Qed.
Lemma is_grad_lip f x g : is_grad f x g ->
  near x (fun y => Rabs (f y - f x) <= (1 + norm1 g) * norm1 (diff y x)).
Proof.
move=> H; apply: near_mono (H 1 Rlt_0_1) => y Hy.
have D := dot_le g (diff y x).
have E : f y - f x = (f y - f x - \rsum_i g i * diff y x i) + \rsum_i g i * diff y x i by ring.
by rewrite E; apply: Rle_trans (Rabs_triang _ _) _; lra.
Qed.
End Grad.

(* ---------- the chain rule ---------- *)
Theorem is_grad_chain (I K : finType) (f : tensor K -> R) (g : tensor I -> tensor K) x gf (J : K -> tensor I) :
  (forall k, is_grad (fun y => g y k) x (J k)) -> is_grad f (g x) gf ->
  is_grad (fun y => f (g y)) x (fun i => \rsum_k gf k * J k i).
Proof.
move=> Hg Hf eps eps0.
pose C := \rsum_k (1 + norm1 (J k)).
have C0 : 0 <= C by apply: sum_ge0 => k _; have := norm1_ge0 (J k); lra.
have lip : near x (fun y => norm1 (diff (g y) (g x)) <= C * norm1 (diff y x)).
  apply: near_mono (near_all (fun k => is_grad_lip (Hg k))) => y Hy.
  by rewrite /C -sumZr; apply: sum_le => k _; exact: Hy.
have e2 : 0 < eps / 2 / (C + 1) by apply: Rdiv_lt_0_compat; lra.
have [d [d0 Hd]] := Hf _ e2.
pose G := norm1 gf; have G0 : 0 <= G by exact: norm1_ge0.
have e1 : 0 < eps / 2 / (G + 1) by apply: Rdiv_lt_0_compat; lra.
have N1 := near_all (fun k => Hg k _ e1).
have N2 : near x (fun y => norm1 (diff y x) < d / (C + 1)).
  by apply: near_ball; apply: Rdiv_lt_0_compat; lra.
apply: near_mono (near_and (near_and lip N1) N2) => y [[L1 L2] L3].
set h := diff y x in L1 L2 L3 *; set k := diff (g y) (g x) in L1 *.
have h0 : 0 <= norm1 h by exact: norm1_ge0.
have small : norm1 k < d.
  apply: Rle_lt_trans L1 _; apply: (Rle_lt_trans _ (C * (d / (C + 1)))).
    by apply: Rmult_le_compat_l => //; lra.
  have -> : C * (d / (C + 1)) = d - d / (C + 1) by field; lra.
  by have := Rdiv_lt_0_compat d (C+1) d0; lra.
have {Hd} A := Hd _ small; rewrite -/k in A.
have B : Rabs (\rsum_j gf j * k j - \rsum_i (\rsum_j gf j * J j i) * h i)
         <= G * (eps / 2 / (G + 1) * norm1 h).
  have -> : \rsum_i (\rsum_j gf j * J j i) * h i = \rsum_j gf j * \rsum_i J j i * h i.
    under eq_bigr do rewrite -sumZr; rewrite sum_exch; apply: eq_bigr => j _.
    by rewrite -sumZl; apply: eq_bigr => i _; ring.
  rewrite -sumB; apply: Rle_trans (sum_abs _ _) _.
  rewrite /G /norm1 -sumZr; apply: sum_le => j _.
  have -> : gf j * k j - gf j * (\rsum_i J j i * h i) = gf j * (k j - \rsum_i J j i * h i) by ring.
  by rewrite Rabs_mult; apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: L2].
have -> : f (g y) - f (g x) - \rsum_i (\rsum_j gf j * J j i) * h i
  = (f (g y) - f (g x) - \rsum_j gf j * k j)
    + (\rsum_j gf j * k j - \rsum_i (\rsum_j gf j * J j i) * h i) by ring.
apply: Rle_trans (Rabs_triang _ _) _.
have A2 : eps / 2 / (C + 1) * norm1 k <= eps / 2 * norm1 h.
  apply: (Rle_trans _ (eps / 2 / (C + 1) * (C * norm1 h))).
    by apply: Rmult_le_compat_l => //; lra.
  have -> : eps / 2 / (C + 1) * (C * norm1 h) = eps / 2 * norm1 h - eps / 2 / (C + 1) * norm1 h by field; lra.
  by have := Rmult_le_pos _ _ (Rlt_le _ _ e2) h0; lra.
have B2 : G * (eps / 2 / (G + 1) * norm1 h) <= eps / 2 * norm1 h.
  have -> : G * (eps / 2 / (G + 1) * norm1 h) = eps / 2 * norm1 h - eps / 2 / (G + 1) * norm1 h by field; lra.
  by have := Rmult_le_pos _ _ (Rlt_le _ _ e1) h0; lra.
by lra.
Qed.

(* ---------- scalar rules ---------- *)
Section Rules.
Variable I : finType.
Implicit Types (f : tensor I -> R) (x g : tensor I).

Lemma is_grad_comp1 (phi : R -> R) l f x g :
  is_grad f x g -> is_derive phi (f x) l -> is_grad (fun y => phi (f y)) x (fun i => l * g i).
Proof.
move=> Hf Hp; have H1 : is_grad (fun z : tensor unit_finType => phi (z tt)) (fun _ => f x) (fun _ => l).
  move: Hp => /is_derive_Reals Hp eps eps0; have [d Hd] := Hp _ eps0.
  exists d; split; first exact: cond_pos.
  move=> z; have U (F : unit -> R) : \rsum_u F u = F tt.
    by rewrite (bigD1 tt) //= big1 ?Rplus_0_r // => -[].
  rewrite /norm1 !U /diff => Hz; set h := z tt - f x in Hz *.
  have -> : z tt = f x + h by rewrite /h; ring.
  case: (Req_dec h 0) => [->|h0].
    by rewrite Rplus_0_r !Rminus_eq_0 Rmult_0_r Rminus_0_r Rabs_R0; lra.
  have := Hd h h0 Hz; have -> : (phi (f x + h) - phi (f x)) / h - l = (phi (f x + h) - phi (f x) - l * h) / h by field.
  rewrite Rabs_div // => K; apply: Rlt_le.
  have ah : 0 < Rabs h by exact: Rabs_pos_lt.
  by move: K => /(Rmult_lt_compat_r _ _ _ ah); rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
apply: is_grad_eqg (is_grad_chain (J := fun _ => g) (fun _ => Hf) H1) => i.
by rewrite (bigD1 tt) //= big1 ?Rplus_0_r // => -[].
Qed.

Lemma is_grad_lin2 a b f1 f2 x g1 g2 : is_grad f1 x g1 -> is_grad f2 x g2 ->
  is_grad (fun y => a * f1 y + b * f2 y) x (fun i => a * g1 i + b * g2 i).
Proof.
move=> H1 H2.
have B (F : bool -> R) : \rsum_u F u = F true + F false by rewrite big_bool.
have H (u : bool) : is_grad (fun y => if u then f1 y else f2 y) x (if u then g1 else g2) by case: u.
apply: is_grad_ext (is_grad_eqg _ (is_grad_chain H (is_grad_affine 0 (fun u : bool_finType => if u then a else b) _))).
  by move=> y /=; rewrite B; ring.
by move=> i /=; rewrite B.
Qed.
Lemma is_grad_plus f1 f2 x g1 g2 : is_grad f1 x g1 -> is_grad f2 x g2 ->
  is_grad (fun y => f1 y + f2 y) x (fun i => g1 i + g2 i).
Proof.
move=> H1 H2; apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 1 1 H1 H2)) => [y|i]; ring.
Qed.
Lemma is_grad_minus f1 f2 x g1 g2 : is_grad f1 x g1 -> is_grad f2 x g2 ->
  is_grad (fun y => f1 y - f2 y) x (fun i => g1 i - g2 i).
Proof.
move=> H1 H2; apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 1 (-1) H1 H2)) => [y|i]; ring.
Qed.
Lemma is_grad_scal a f x g : is_grad f x g -> is_grad (fun y => a * f y) x (fun i => a * g i).
Proof.
move=> H; apply: is_grad_ext (is_grad_eqg _ (is_grad_lin2 a 0 H H)) => [y|i]; ring.
Qed.
Lemma is_grad_sum (K : finType) (P : pred K) (f : K -> tensor I -> R) x (g : K -> tensor I) :
  (forall k, P k -> is_grad (f k) x (g k)) ->
  is_grad (fun y => \rsum_(k | P k) f k y) x (fun i => \rsum_(k | P k) g k i).
Proof.
move=> H.
pose F k y := if P k then f k y else 0; pose G k := if P k then g k else (fun _ => 0).
have HF k : is_grad (F k) x (G k) by rewrite /F /G; case: ifP => [/H //|_]; exact: is_grad_const.
apply: is_grad_ext (is_grad_eqg _ (is_grad_chain HF (is_grad_affine 0 (fun _ : K => 1) _))).
  by move=> y /=; rewrite Rplus_0_l [RHS]sum_mkcond; apply: eq_bigr => k _; rewrite /F; ring.
move=> i /=; rewrite [RHS]sum_mkcond; apply: eq_bigr => k _; rewrite /G; case: ifP => _; ring.
Qed.
Lemma is_grad_mult f1 f2 x g1 g2 : is_grad f1 x g1 -> is_grad f2 x g2 ->
  is_grad (fun y => f1 y * f2 y) x (fun i => g1 i * f2 x + f1 x * g2 i).
Proof.
move=> H1 H2.
have B (F : bool -> R) : \rsum_u F u = F true + F false by rewrite big_bool.
have H (u : bool) : is_grad (fun y => if u then f1 y else f2 y) x (if u then g1 else g2) by case: u.
have M (z : tensor bool_finType) : is_grad (fun z : tensor bool_finType => z true * z false) z
          (fun u => if u then z false else z true).
  move=> eps eps0; apply: near_mono (near_ball _ eps0) => y Hy; rewrite B.
  have -> : y true * y false - z true * z false - (z false * diff y z true + z true * diff y z false)
     = diff y z true * diff y z false by rewrite /diff; ring.
  rewrite Rabs_mult; apply: Rmult_le_compat; try exact: Rabs_pos; last exact: norm1_coord.
  by have := norm1_coord (diff y z) true; lra.
apply: is_grad_ext (is_grad_eqg _ (is_grad_chain H (M _))) => [y //|i].
by rewrite B; ring.
Qed.
Lemma is_grad_mult0l f1 f2 x g1 : is_grad f1 x g1 -> (exists g2, is_grad f2 x g2) -> f1 x = 0 ->
  is_grad (fun y => f1 y * f2 y) x (fun i => g1 i * f2 x).
Proof. by move=> H1 [g2 H2] E; apply: is_grad_eqg (is_grad_mult H1 H2) => i; rewrite E; ring. Qed.
End Rules.

(* ---------- partial derivatives: adequacy ---------- *)
Definition upd (I : finType) (x : tensor I) (i : I) (t : R) : tensor I := fun k => if k == i then t else x k.
Definition pdiv (I J : finType) (f : tensor I -> tensor J) (x : tensor I) (i : I) (j : J) : R :=
  Derive (fun t => f (upd x i t) j) (x i).

Lemma upd_id (I : finType) (x : tensor I) i : upd x i (x i) = x.
Proof. by apply: functional_extensionality => k; rewrite /upd; case: eqP => [->|]. Qed.
Lemma is_grad_partial (I : finType) (f : tensor I -> R) x g i :
  is_grad f x g -> is_derive (fun t => f (upd x i t)) (x i) (g i).
Proof.
move=> H; apply/is_derive_Reals => eps eps0.
have [d [d0 Hd]] := H (eps / 2) ltac:(lra).
exists (mkposreal d d0) => h h0 /= hd.
have E k : diff (upd x i (x i + h)) x k = delta k i * h.
  by rewrite /diff /upd /delta; case: eqP => [->|_]; ring.
have N : norm1 (diff (upd x i (x i + h)) x) = Rabs h.
  rewrite /norm1; under eq_bigr => k _ do rewrite E Rabs_mult.
  rewrite (eq_bigr (fun k => delta k i * Rabs h)) ?sum_deltal // => k _.
  by rewrite /delta; case: ifP => _; rewrite ?Rabs_R1 ?Rabs_R0.
have := Hd (upd x i (x i + h)); rewrite N => /(_ hd).
under eq_bigr => k _ do rewrite E -Rmult_assoc [_ * delta _ _]Rmult_comm Rmult_assoc.
rewrite sum_deltal upd_id => K.
have -> : (f (upd x i (x i + h)) - f x) / h - g i = (f (upd x i (x i + h)) - f x - g i * h) / h by field.
rewrite Rabs_div //; have ah : 0 < Rabs h by exact: Rabs_pos_lt.
apply: (Rle_lt_trans _ (eps / 2)); last lra.
apply: (Rmult_le_reg_r (Rabs h)) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.
Lemma is_grad_unique (I : finType) (f : tensor I -> R) x g1 g2 :
  is_grad f x g1 -> is_grad f x g2 -> forall i, g1 i = g2 i.
Proof.
move=> H1 H2 i.
by rewrite -(is_derive_unique _ _ _ (is_grad_partial i H1)) (is_derive_unique _ _ _ (is_grad_partial i H2)).
Qed.
