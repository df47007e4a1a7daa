(** Scaled dot-product attention, forward and backward, as one theorem. *)
From Gradwright Require Export Softmax Contract.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** Matrix products, one for each b. *)
Section Product.
Variables (B N D M : finType).
Definition product (a : tensor [finType of B * N * D]) (c : tensor [finType of B * D * M]) : tensor [finType of B * N * M] :=
  fun o => \rsum_d a (o.1, d) * c (o.1.1, d, o.2).
Theorem vjp2_product a c : has_vjp2 product a c
  (fun g i => \rsum_m g (i.1, m) * c (i.1.1, i.2, m))
  (fun g j => \rsum_n a (j.1.1, n, j.1.2) * g (j.1.1, n, j.2)).
Proof.
move=> S s fa fc Ba Bc <- <- [A [HA EA]] [C [HC EC]].
exists (fun o k => \rsum_d (A (o.1, d) k * fc s (o.1.1, d, o.2) + fa s (o.1, d) * C (o.1.1, d, o.2) k)); split.
  by move=> o; apply: is_grad_sum => d _; apply: is_grad_mult; [exact: HA | exact: HC].
move=> g k; rewrite EA EC !sum_pairE /=.
have L b : \rsum_n \rsum_d A (b, n, d) k * (\rsum_m g (b, n, m) * fc s (b, d, m)) =
           \rsum_n \rsum_m (\rsum_d A (b, n, d) k * fc s (b, d, m)) * g (b, n, m).
  apply: eq_bigr => n _; under eq_bigr do rewrite -sumZl; rewrite sum_exch; apply: eq_bigr => m _.
  by rewrite -sumZr; apply: eq_bigr => d _; ring.
have R b : \rsum_d \rsum_m C (b, d, m) k * (\rsum_n fa s (b, n, d) * g (b, n, m)) =
           \rsum_n \rsum_m (\rsum_d fa s (b, n, d) * C (b, d, m) k) * g (b, n, m).
  rewrite sum_exch [RHS]sum_exch; apply: eq_bigr => m _.
  under eq_bigr do rewrite -sumZl; rewrite sum_exch; apply: eq_bigr => n _.
  by rewrite -sumZr; apply: eq_bigr => d _; ring.
rewrite (eq_bigr _ (fun b _ => L b)) [X in _ + X](eq_bigr _ (fun b _ => R b)) -sumD.
apply: eq_bigr => b _; rewrite -sumD; apply: eq_bigr => n _; rewrite -sumD; apply: eq_bigr => m _.
by rewrite sumD; ring.
Qed.
End Product.

Section Attention.
Variables (B N M D E : finType) (m0 : M) (scale : R).
Notation queries := (tensor [finType of B * N * D]).
Notation keys := (tensor [finType of B * M * D]).
Notation vals := (tensor [finType of B * M * E]).
Notation weights := (tensor [finType of B * N * M]).
Definition swapped (K L : finType) (x : tensor [finType of B * K * L]) : tensor [finType of B * L * K] :=
  fun i => x (i.1.1, i.2, i.1.2).
Definition scores (q : queries) (k : keys) : weights := fun o => scale * product q (swapped k) o.
Definition row_softmax (s : weights) : weights := fun o => softmax (fun m => s (o.1, m)) o.2.
Definition attention (q : queries) (k : keys) (v : vals) := product (row_softmax (scores q k)) v.

Lemma vjp_row_softmax s : has_vjp row_softmax s
  (fun g o => row_softmax s o * (g o - \rsum_m row_softmax s (o.1, m) * g (o.1, m))).
Proof.
apply: has_vjp_ext (vjp_vmap (C := [finType of B * N]) (x := s) (fun c => vjp_softmax m0 (fun m => s (c, m)))) => //.
by move=> g [c m].
Qed.
Lemma vjp_swapped (K L : finType) (x : tensor [finType of B * K * L]) : has_vjp (@swapped K L) x (@swapped L K).
Proof.
pose r (I J : finType) (i : B * I * J) : B * J * I := (i.1.1, i.2, i.1.2).
have rK (I J : finType) : cancel (r I J) (r J I) by case=> [[b ?] ?].
apply: has_vjp_ext (vjp_reindex (r L K : [finType of B * L * K] -> [finType of B * K * L]) x) => // g i.
rewrite (bigD1 (r K L i)) /= ?rK ?eqxx // big1 ?Rplus_0_r // => j /andP [/eqP <-].
by rewrite rK eqxx.
Qed.

(** With p the weights, dp = g v^T, ds = p (dp - sum of p dp over the keys):
    dq = scale ds k, dk = scale ds^T q, dv = p^T g. *)
Theorem vjp_attention (S : finType) (s : tensor S) fq fk fv bq bk bv :
  has_vjp fq s bq -> has_vjp fk s bk -> has_vjp fv s bv ->
  has_vjp (fun s => attention (fq s) (fk s) (fv s)) s (fun g x =>
    let q := fq s in let k := fk s in let v := fv s in
    let p := row_softmax (scores q k) in
    let dp o := \rsum_e g (o.1, e) * v (o.1.1, o.2, e) in
    let ds o := p o * (dp o - \rsum_m p (o.1, m) * dp (o.1, m)) in
    bq (fun i => scale * \rsum_m ds (i.1, m) * k (i.1.1, m, i.2)) x +
    bk (fun j => scale * \rsum_n ds (j.1.1, n, j.1.2) * q (j.1.1, n, j.2)) x +
    bv (fun j => \rsum_n p (j.1.1, n, j.1.2) * g (j.1.1, n, j.2)) x).
Proof.
move=> Hq Hk Hv.
have Hs := vjp2_product erefl erefl Hq (vjp_comp Hk (vjp_swapped (fk s))).
have Hz : has_vjp (fun s => scores (fq s) (fk s)) s _ :=
  vjp_comp (f := fun (z : weights) o => scale * z o) Hs
    (has_vjp_ext (fun _ _ => erefl) (fun _ _ => erefl) (vjp_map (phi := fun _ t => scale * t) (dphi := fun _ => scale)
      (fun i => ltac:(by auto_derive => //; ring)))).
have Hp := vjp_comp Hz (vjp_row_softmax _).
apply: has_vjp_ext (vjp2_product erefl erefl Hp Hv) => // g x /=; congr (_ + _ + _).
  by congr (bq _ x); apply: functional_extensionality => i; rewrite -sumZl; apply: eq_bigr => m _; rewrite /swapped /=; ring.
by congr (bk _ x); apply: functional_extensionality => j; rewrite /swapped -sumZl; apply: eq_bigr => n _ /=; ring.
Qed.
End Attention.
