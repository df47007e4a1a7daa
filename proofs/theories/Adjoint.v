(** One adjoint equation per value is enough: the theorem that the whole certifier rests on. *)
From Gradwright Require Export Vjp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section System.
Variables (S : finType) (rank : S -> nat) (inp : pred S) (F : tensor S -> tensor S) (V : tensor S -> tensor S).
(* SSA: every non-input entry is computed from entries of smaller rank *)
Hypothesis F_ssa : forall s s' k, (forall u, (rank u < rank k)%N -> s u = s' u) -> F s k = F s' k.
Hypothesis V_eq : forall th k, V th k = if inp k then th k else F (V th) k.

Lemma jac_triangular th A : is_jac F (V th) A -> forall k u, (rank k <= rank u)%N -> A k u = 0.
Proof.
move=> HA k u ku.
pose m (s : tensor S) : tensor S := fun v => if (rank v < rank k)%N then s v else V th v.
have Em : m (V th) = V th by apply: functional_extensionality => v; rewrite /m; case: ifP.
have Hm v : is_grad (fun s => m s v) (V th) (fun w => if (rank v < rank k)%N then delta w v else 0).
  by rewrite /m; case: (rank v < rank k)%N; [exact: (is_grad_proj v (V th)) | exact: (is_grad_const (V th v) (V th))].
have := is_grad_chain (f := fun s => F s k) Hm; rewrite Em => /(_ _ (HA k)) H.
have {}H : is_grad (fun s => F s k) (V th) (fun v => if (rank v < rank k)%N then A k v else 0).
  apply: is_grad_ext (is_grad_eqg _ H) => [s|w].
    by apply: F_ssa => v vk; rewrite /m vk.
  rewrite (eq_bigr (fun v => delta v w * (if (rank v < rank k)%N then A k v else 0))) ?sum_deltal // => v _.
  by rewrite [delta w v]deltaC; case: ifP => _; ring.
by rewrite (is_grad_unique (HA k) H) ltnNge ku.
Qed.

Lemma V_diff th A : is_jac F (V th) A ->
  exists D : S -> tensor S, (forall k, is_grad (fun th => V th k) th (D k)) /\
    forall k u, D k u = if inp k then delta u k else \rsum_v A k v * D v u.
Proof.
move=> HA.
have H n : exists D : S -> tensor S, forall k, (rank k < n)%N -> is_grad (fun th => V th k) th (D k) /\
    forall u, D k u = if inp k then delta u k else \rsum_v A k v * D v u.
  elim: n => [|n [D HD]]; first by exists (fun _ _ => 0).
  pose D' k u := if (rank k < n)%N then D k u else if inp k then delta u k else \rsum_v A k v * (if (rank v < n)%N then D v u else 0).
  have rec k u : (rank k <= n)%N -> \rsum_v A k v * D' v u = \rsum_v A k v * (if (rank v < n)%N then D v u else 0).
    move=> kn; apply: eq_bigr => v _; rewrite /D'; case: ifP => // /negbT; rewrite -leqNgt => nv.
    by rewrite (jac_triangular HA) ?(leq_trans kn nv) //; ring.
  exists D' => k; rewrite ltnS => kn; split; last first.
    move=> u; rewrite rec //; rewrite {1}/D'; case: ifP => // kn'.
    have [_ ->] := HD k kn'; case: ifP => // _; apply: eq_bigr => v _; case: ifP => // /negbT; rewrite -leqNgt => nv.
    by rewrite (jac_triangular HA) ?(leq_trans _ nv) //; ring.
  rewrite /D'; case: (boolP (rank k < n)%N) => [/HD [] //|nk].
  case: (boolP (inp k)) => ik.
    by apply: is_grad_ext (is_grad_proj k th) => t; rewrite V_eq ik.
  pose m t : tensor S := fun v => if (rank v < n)%N then V t v else V th v.
  have Em : m th = V th by apply: functional_extensionality => v; rewrite /m; case: ifP.
  have Hm v : is_grad (fun t => m t v) th (fun u => if (rank v < n)%N then D v u else 0).
    by rewrite /m; case: (boolP (rank v < n)%N) => [/HD [] //|_]; exact: is_grad_const.
  have := is_grad_chain (f := fun s => F s k) Hm; rewrite Em => /(_ _ (HA k)).
  apply: is_grad_ext => t; rewrite V_eq (negbTE ik); apply: F_ssa => v vk.
  by rewrite /m (leq_trans vk kn).
have [D HD] := H (\max_k rank k).+1; exists D.
have B k : (rank k < (\max_k rank k).+1)%N by rewrite ltnS; exact: leq_bigmax.
by split=> k; have [] := HD k (B k).
Qed.

(* the certificate: one linear equation per entry *)
Theorem adjoint_sound th B L g :
  has_vjp F (V th) B ->
  (forall s, g s = delta s L + B (fun k => if inp k then 0 else g k) s) ->
  is_grad (fun th => V th L) th (fun s => if inp s then g s else 0).
Proof.
case=> A [HA HB] Hg; have [D [HD ED]] := V_diff HA.
apply: is_grad_eqg (HD L) => u.
pose gn k := if inp k then 0 else g k.
have E1 : \rsum_s g s * D s u = D L u + \rsum_k gn k * \rsum_v A k v * D v u.
  under eq_bigr do rewrite Hg HB Rmult_plus_distr_r.
  rewrite sumD; congr (_ + _); first exact: (sum_deltal (fun s => D s u)).
  under eq_bigr do rewrite -sumZr; rewrite sum_exch; apply: eq_bigr => k _; rewrite -sumZl.
  by apply: eq_bigr => v _; rewrite /gn; ring.
have E2 : \rsum_s g s * D s u = (if inp u then g u else 0) + \rsum_k gn k * \rsum_v A k v * D v u.
  have -> : (if inp u then g u else 0) = \rsum_s delta s u * (if inp s then g s else 0).
    by rewrite (sum_deltal (fun s => if inp s then g s else 0)).
  rewrite -sumD; apply: eq_bigr => s _; rewrite ED /gn [delta s u]deltaC; case: ifP => _; ring.
lra.
Qed.
End System.

(** The certifier's use of it: a reverse sweep adds, value by value, what the readers of a value give. *)
Definition rule_adjoint := adjoint_sound.

(* ---- typed modules: SSA names v : 'I_n, shape ix v ---- *)
Section Typed.
Variables (n : nat) (ix : nat -> finType).
Definition state : finType := [finType of {v : 'I_n & ix v}].
Definition at_ (v : 'I_n) (i : ix v) : state := Tagged (fun v : 'I_n => ix v) i.
Definition get (v : 'I_n) (s : tensor state) : tensor (ix v) := fun i => s (at_ i).
Definition put (v : 'I_n) (g : tensor (ix v)) : tensor state := fun s => \rsum_(i | at_ i == s) g i.
Lemma at_inj v : injective (@at_ v).
Proof. by move=> i j /eqP; rewrite eq_Tagged => /eqP. Qed.
Lemma put_same (v : 'I_n) (g : tensor (ix v)) i : put g (at_ i) = g i.
Proof. rewrite /put (bigD1 i) //= big1 ?Rplus_0_r // => j /andP [/eqP /at_inj ->]; by rewrite eqxx. Qed.
Lemma put_diff (v w : 'I_n) (g : tensor (ix v)) (i : ix w) : v != w -> put g (at_ i) = 0.
Proof. move=> vw; rewrite /put big1 // => j /eqP /(congr1 (@tag _ _)) /= E; by rewrite E eqxx in vw. Qed.
Lemma vjp_get v s : has_vjp (@get v) s (@put v).
Proof. exact: vjp_reindex. Qed.

(* assemble the parallel step from one function per name *)
Variable f : forall v : 'I_n, tensor state -> tensor (ix v).
Definition step (s : tensor state) : tensor state := fun k => @f (tag k) s (tagged k).
Theorem vjp_step s (b : forall v : 'I_n, tensor (ix v) -> tensor state) :
  (forall v, has_vjp (@f v) s (b v)) ->
  has_vjp step s (fun dy k => \rsum_v b v (get dy) k).
Proof.
move=> H0; have H (v : 'I_n) : exists A : ix v -> tensor state, is_jac (@f v) s A /\ forall dy i, b v dy i = \rsum_j A j i * dy j by exact: H0.
have [A HA] : exists A : state -> tensor state, forall v : 'I_n, is_jac (@f v) s (fun j => A (at_ j)) /\ forall dy i, b v dy i = \rsum_(j : ix v) A (at_ j) i * dy j.
  have H' (k : state) : exists g : tensor state, (is_grad (fun s => @f (tag k) s (tagged k)) s g).
    by case: k => v j; have [A [HA _]] := H v; exists (A j); exact: HA.
  have [A HA] := fin_all_exists H'; exists A => v; split=> [j|dy i]; first exact: (HA (at_ j)).
  have [A' [HA' ->]] := H v; apply: eq_bigr => j _; congr (_ * _).
  exact: (is_grad_unique (HA' j) (HA (at_ j))).
exists A; split=> [[v j]|dy i]; first by have [h _] := HA v; exact: (h j).
rewrite (eq_bigr (fun v : 'I_n => \rsum_(j : ix v) A (at_ j) i * dy (at_ j))) => [|v _]; last by have [_ ->] := HA v.
rewrite (@sig_big_dep _ _ _ _ (fun v : 'I_n => ix v) xpredT (fun _ => xpredT) (fun (v : 'I_n) (j : ix v) => A (at_ j) i * dy (at_ j))) /=.
by apply: eq_bigr => -[v j] _.
Qed.
End Typed.
Arguments get {n ix} v s _.
Arguments at_ {n ix v} i.
