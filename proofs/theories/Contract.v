(** Sums of products over any index maps and guards: dense layers, dot products, windows. *)
From Gradwright Require Export Vjp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* out[o] = sum over p with guard, oo p = o, of a[ia p] * b[ib p] *)
Definition contract (P O A B : finType) (gd : pred P) (oo : P -> O) (ia : P -> A) (ib : P -> B)
    (a : tensor A) (b : tensor B) : tensor O :=
  fun o => \rsum_(p | gd p && (oo p == o)) a (ia p) * b (ib p).

Section Con.
Variables (P O A B : finType) (gd : pred P) (oo : P -> O) (ia : P -> A) (ib : P -> B).

Lemma contractC a b o : contract gd oo ia ib a b o = contract gd oo ib ia b a o.
Proof. by apply: eq_bigr => p _; ring. Qed.

Lemma sum_fibre (C : finType) (f : P -> C) (F : P -> R) (G : C -> R) :
  \rsum_c (\rsum_(p | gd p && (f p == c)) F p) * G c = \rsum_(p | gd p) F p * G (f p).
Proof.
under eq_bigr do rewrite -sumZr.
rewrite (exchange_big_dep (fun p => gd p)) /=; last by move=> c p _ /andP [].
apply: eq_bigr => p gp; rewrite (bigD1 (f p)) /= ?gp ?eqxx //.
by rewrite big1 ?Rplus_0_r // => c /andP [/andP [_ /eqP ->]]; rewrite eqxx.
Qed.

(* the three-fold symmetry: both VJPs are the same contraction, roles rotated *)
Theorem vjp_contract_l (b : tensor B) (a : tensor A) :
  has_vjp (fun a => contract gd oo ia ib a b) a (fun dy => contract gd ia ib oo b dy).
Proof.
exists (fun o i => \rsum_(p | gd p && (oo p == o)) b (ib p) * delta i (ia p)); split.
  move=> o; apply: is_grad_sum => p _.
  apply: is_grad_ext (is_grad_scal (b (ib p)) (is_grad_proj (ia p) a)) => y; ring.
move=> dy i; rewrite sum_fibre /contract big_mkcondr; apply: eq_bigr => p _.
by rewrite /delta eq_sym; case: ifP => _; ring.
Qed.
Theorem vjp_contract_r (a : tensor A) (b : tensor B) :
  has_vjp (fun b => contract gd oo ia ib a b) b (fun dy => contract gd ib ia oo a dy).
Proof.
exists (fun o j => \rsum_(p | gd p && (oo p == o)) a (ia p) * delta j (ib p)); split.
  by move=> o; apply: is_grad_sum => p _; apply: is_grad_scal (is_grad_proj (ib p) b).
move=> dy i; rewrite sum_fibre /contract big_mkcondr; apply: eq_bigr => p _.
by rewrite /delta eq_sym; case: ifP => _; ring.
Qed.
(** What a single entry of each operand gives: 1 where the point that reads both of them counts. *)
Lemma contract_one_hot (p0 : P) : (forall p, oo p = oo p0 -> ia p = ia p0 -> ib p = ib p0 -> p = p0) ->
  contract gd oo ia ib (delta (ia p0)) (delta (ib p0)) (oo p0) = if gd p0 then 1 else 0.
Proof.
move=> inj; rewrite /contract sum_mkcond -(sum_deltal (fun p => if gd p then 1 else 0) p0).
apply: eq_bigr => p _; rewrite /delta; case: (altP (p =P p0)) => [->|ne].
  by rewrite !eqxx andbT; case: (gd p0); ring.
case: (gd p) => /=; last by ring.
case: (altP (oo p =P oo p0)) => [Eo|_]; last by ring.
case: (altP (ia p0 =P ia p)) => [Ea|_]; last by ring.
case: (altP (ib p0 =P ib p)) => [Eb|_]; last by ring.
by case/eqP: ne; exact: inj.
Qed.
End Con.

(* re-indexing the summation domain by a bijection and equal guards *)
Lemma contract_eq (P P' O A B : finType) (gd : pred P) (oo : P -> O) (ia : P -> A) (ib : P -> B)
   (gd' : pred P') (oo' : P' -> O) (ia' : P' -> A) (ib' : P' -> B) (h : P' -> P) (a : tensor A) (b : tensor B) :
   bijective h -> (forall p, gd (h p) = gd' p) ->
   (forall p, gd' p -> oo (h p) = oo' p) -> (forall p, gd' p -> ia (h p) = ia' p) ->
   (forall p, gd' p -> ib (h p) = ib' p) ->
   forall o, contract gd oo ia ib a b o = contract gd' oo' ia' ib' a b o.
Proof.
move=> bh Hg Ho Ha Hb o; rewrite /contract (reindex h) /=; last by apply: onW_bij.
apply: eq_big => [p|p]; rewrite Hg; first by case G: (gd' p) => //=; rewrite Ho.
by move=> /andP [G _]; rewrite Ha ?Hb.
Qed.

(* ---------- dense layer: y[n,j] = sum_i x[n,i] W[i,j] + b[j] ---------- *)
Section Dense.
Variables (N I J : finType).
Definition dense (x : tensor [finType of N * I]) (W : tensor [finType of I * J]) (b : tensor J) : tensor [finType of N * J] :=
  fun nj => (\rsum_i x (nj.1, i) * W (i, nj.2)) + b nj.2.
Let P := [finType of N * I * J].
Lemma dense_contract x W b nj : dense x W b nj =
  contract (P := P) xpredT (fun p => (p.1.1, p.2)) (fun p => (p.1.1, p.1.2)) (fun p => (p.1.2, p.2)) x W nj + b nj.2.
Proof.
case: nj => n j; rewrite /dense /contract /=; congr (_ + _).
rewrite (reindex_onto (fun i => (n, i, j)) (fun p : P => p.1.2)) /=; last first.
  by move=> [[n' i] j'] /= /eqP [-> ->].
by apply: eq_bigl => i; rewrite !eqxx.
Qed.
(* sum over one coordinate of a triple, the two others fixed *)
Theorem vjp_dense_x x W b :
  has_vjp (fun x => dense x W b) x (fun dy ni => \rsum_j W (ni.2, j) * dy (ni.1, j)).
Proof.
exists (fun nj ni => if nj.1 == ni.1 then W (ni.2, nj.2) else 0); split.
  move=> [n j]; apply: is_grad_eqg (is_grad_plus (is_grad_sum (P := xpredT) (fun i _ =>
    is_grad_mult (is_grad_proj (n, i) x) (is_grad_const (W (i, j)) x))) (is_grad_const (b j) x)) => -[n' i'] /=.
  rewrite Rplus_0_r (bigD1 i') //= big1 => [|i /negbTE ne].
    by rewrite /delta xpair_eqE eqxx andbT eq_sym; case: ifP => _; ring.
  by rewrite /delta xpair_eqE [i' == i]eq_sym ne andbF; ring.
move=> dy [n i] /=; rewrite sum_pairE /=.
rewrite (bigD1 n) //= [X in _ + X]big1 ?Rplus_0_r => [|n' /negbTE ne].
  by apply: eq_bigr => j _; rewrite eqxx.
by rewrite ne sum0 // => j _; ring.
Qed.
Theorem vjp_dense_W x W b :
  has_vjp (fun W => dense x W b) W (fun dy ij => \rsum_n x (n, ij.1) * dy (n, ij.2)).
Proof.
exists (fun nj ij => if nj.2 == ij.2 then x (nj.1, ij.1) else 0); split.
  move=> [n j]; apply: is_grad_eqg (is_grad_plus (is_grad_sum (P := xpredT) (fun i _ =>
    is_grad_mult (is_grad_const (x (n, i)) W) (is_grad_proj (i, j) W))) (is_grad_const (b j) W)) => -[i' j'] /=.
  rewrite Rplus_0_r (bigD1 i') //= big1 => [|i /negbTE ne].
    by rewrite /delta xpair_eqE eqxx [j' == j]eq_sym /=; case: ifP => _ /=; ring.
  by rewrite /delta xpair_eqE [i' == i]eq_sym ne /=; ring.
move=> dy [i j] /=; rewrite sum_pairE /=.
apply: eq_bigr => n _; rewrite (bigD1 j) //= eqxx big1 ?Rplus_0_r // => j' /negbTE ->; ring.
Qed.
Theorem vjp_dense_b x W b :
  has_vjp (fun b => dense x W b) b (fun dy j => \rsum_n dy (n, j)).
Proof.
exists (fun nj j => delta nj.2 j); split.
  move=> [n j]; apply: is_grad_eqg (is_grad_plus (is_grad_const (\rsum_i x (n, i) * W (i, j)) b) (is_grad_proj j b)) => j' /=.
  by rewrite Rplus_0_l deltaC.
move=> dy j; rewrite sum_pairE /=; apply: eq_bigr => n _.
by rewrite sum_deltal.
Qed.
End Dense.

Lemma vjp2_contract (P O A B : finType) (gd : pred P) (oo : P -> O) (ia : P -> A) (ib : P -> B) x y :
  has_vjp2 (contract gd oo ia ib) x y (contract gd ia ib oo y) (contract gd ib ia oo x).
Proof.
move=> S s fa fb Ba Bb <- <- [JA [HA EA]] [JB [HB EB]].
exists (fun o i => \rsum_(p | gd p && (oo p == o)) (JA (ia p) i * fb s (ib p) + fa s (ia p) * JB (ib p) i)); split.
  by move=> o; apply: is_grad_sum => p _; apply: is_grad_mult; [exact: HA | exact: HB].
move=> dy i; rewrite EA EB sum_fibre.
have -> : \rsum_j JA j i * contract gd ia ib oo (fb s) dy j = \rsum_j contract gd ia ib oo (fb s) dy j * JA j i.
  by apply: eq_bigr => j _; ring.
have -> : \rsum_j JB j i * contract gd ib ia oo (fa s) dy j = \rsum_j contract gd ib ia oo (fa s) dy j * JB j i.
  by apply: eq_bigr => j _; ring.
rewrite !sum_fibre -sumD; apply: eq_bigr => p _; ring.
Qed.
