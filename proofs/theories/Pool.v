(** Pooling and reductions to an extreme, off ties, and averages over windows. *)
From Gradwright Require Export Multilinear.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section MaxPool.
Variables (I O : finType) (win : O -> I -> bool) (m : O -> I).
(* y o is the maximum of the window *)
Definition is_max (w : pred I) (x : tensor I) (v : R) := (exists2 i, w i & x i = v) /\ forall i, w i -> x i <= v.
Variable pool : tensor I -> tensor O.
Hypothesis poolP : forall x o, is_max (win o) x (pool x o).
(* m o is the strict argmax of window o at x *)
Theorem vjp_maxpool x : (forall o, win o (m o)) -> (forall o i, win o i -> i != m o -> x i < x (m o)) ->
  has_vjp pool x (fun dy i => \rsum_(o | m o == i) dy o).
Proof.
move=> Hm Hs; apply: has_vjp_ext_near (vjp_reindex m x).
have N o i : near x (fun y => win o i -> i != m o -> y i < y (m o)).
  case W : (win o i); last by apply: near_true.
  case: (boolP (i == m o)) => E; first by apply: near_true.
  have D := Hs o i W E; apply: near_mono (near_ball x (d := (x (m o) - x i) / 2) _); last lra.
  move=> y Hy _ _; have := norm1_coord (diff y x) i; have := norm1_coord (diff y x) (m o).
  rewrite /diff => A B; have := Rabs_def2 _ _ (Rle_lt_trans _ _ _ A Hy); have := Rabs_def2 _ _ (Rle_lt_trans _ _ _ B Hy); lra.
apply: near_mono (near_all (fun o => near_all (fun i => N o i))) => y Hy o.
have [[i Wi Ei] Hmax] := poolP y o; have := Hmax _ (Hm o).
case: (boolP (i == m o)) => [/eqP <- //|E]; have := Hy o i Wi E; lra.
Qed.
End MaxPool.

(** The smallest entry of each window, likewise. *)
Section MinPool.
Variables (I O : finType) (win : O -> I -> bool) (m : O -> I).
Definition is_min (w : pred I) (x : tensor I) (v : R) := (exists2 i, w i & x i = v) /\ forall i, w i -> v <= x i.
Variable pool : tensor I -> tensor O.
Hypothesis poolP : forall x o, is_min (win o) x (pool x o).
Theorem vjp_minpool x : (forall o, win o (m o)) -> (forall o i, win o i -> i != m o -> x (m o) < x i) ->
  has_vjp pool x (fun dy i => \rsum_(o | m o == i) dy o).
Proof.
move=> Hm Hs; pose neg (K : finType) (y : tensor K) : tensor K := fun k => - y k.
have N (K : finType) (y : tensor K) : has_vjp (@neg K) y (@neg K).
  have := vjp_map (phi := fun _ => Ropp) (x := y) (dphi := fun _ => -1).
  move=> /(_ (fun k => ltac:(by auto_derive))); apply: has_vjp_ext => // dy k; rewrite /neg; ring.
pose top y := neg O (pool (neg I y)).
have topP y o : is_max (win o) y (top y o).
  have [[i Wi Ei] H] := poolP (neg I y) o; split; first by exists i; rewrite // /top /neg -Ei /neg; ring.
  by move=> k /H; rewrite /top /neg; lra.
have V := vjp_maxpool topP (x := neg I x) Hm (fun o i W E => ltac:(have := Hs o i W E; rewrite /neg; lra)).
have NN y : neg I (neg I y) = y by apply: functional_extensionality => k; rewrite /neg; ring.
apply: has_vjp_ext (vjp_comp (vjp_comp (N I x) V) (N O _)) => [y o|dy i].
  by rewrite /top /neg -/(neg I (neg I y)) NN; ring.
by rewrite /neg sumN; ring.
Qed.
End MinPool.

(** A reduction to an extreme along [r], as the certifier's rule writes it: each entry that equals
    the extreme gets its share of the cotangent. Off ties there is one such entry. *)
Section Extreme.
Variables (I O : finType) (r : I -> O) (m : O -> I).
Definition equal_to (a b : R) : R := if Req_EM_T a b then 1 else 0.
Definition share (top : tensor I -> tensor O) (x : tensor I) (g : tensor O) : tensor I := fun i =>
  equal_to (x i) (top x (r i)) * (g (r i) * / \rsum_(k | r k == r i) equal_to (x k) (top x (r i))).
Lemma share_of_winner (top : tensor I -> tensor O) x : (forall o, r (m o) = o) ->
  (forall i, x i = top x (r i) <-> i = m (r i)) ->
  forall g i, \rsum_(o | m o == i) g o = share top x g i.
Proof.
move=> Hm Ht g i; rewrite /share /equal_to; case: Req_EM_T => [/Ht E|N] /=.
  rewrite (bigD1 (r i)) /= -?E ?eqxx // big1 ?Rplus_0_r; last by move=> o /andP [/eqP <-]; rewrite Hm eqxx.
  rewrite (bigD1 i) //= big1 ?Rplus_0_r; last first.
    move=> k /andP [/eqP rk /eqP ki]; case: Req_EM_T => // Ek; case: ki.
    by rewrite E -rk; apply/Ht; rewrite rk.
  by case: Req_EM_T => [_|N] /=; [field; lra | by case: N; apply/Ht].
rewrite Rmult_0_l big1 // => o /eqP E; case: N; apply/Ht; by rewrite -E Hm.
Qed.
(** It is enough that the winner's entry is the extreme and no other entry of its set is equal to it. *)
Lemma winner_alone (top : tensor I -> tensor O) x : (forall o, r (m o) = o) -> (forall o, top x o = x (m o)) ->
  (forall i, i != m (r i) -> x i <> x (m (r i))) -> forall i, x i = top x (r i) <-> i = m (r i).
Proof.
move=> Hm E Hs i; rewrite E; split=> [Ei|{1}-> //].
by apply/eqP; apply: contraT => /Hs; rewrite -Ei.
Qed.
Lemma max_of_strict (w : pred I) (x : tensor I) v i : is_max w x v -> w i ->
  (forall k, w k -> k != i -> x k < x i) -> v = x i.
Proof.
case=> [[k Wk <-] H] Wi Hs; case: (altP (k =P i)) => [-> //|ne].
by have := H i Wi; have := Hs k Wk ne; lra.
Qed.
Lemma min_of_strict (w : pred I) (x : tensor I) v i : is_min w x v -> w i ->
  (forall k, w k -> k != i -> x i < x k) -> v = x i.
Proof.
case=> [[k Wk <-] H] Wi Hs; case: (altP (k =P i)) => [-> //|ne].
by have := H i Wi; have := Hs k Wk ne; lra.
Qed.
Section Share.
Variables (top : tensor I -> tensor O) (x : tensor I).
Hypothesis Hm : forall o, r (m o) = o.
Let own o : r (m o) == o. Proof. by rewrite Hm. Qed.
Lemma in_set (lt : R -> R -> Prop) : (forall i, i != m (r i) -> lt (x i) (x (m (r i)))) ->
  forall o i, r i == o -> i != m o -> lt (x i) (x (m o)).
Proof. by move=> H o i /eqP <-; exact: H. Qed.
Theorem rule_extreme_maximum : (forall x o, is_max (fun i => r i == o) x (top x o)) ->
  (forall i, i != m (r i) -> x i < x (m (r i))) -> has_vjp top x (share top x).
Proof.
move=> topP Hs; have S := in_set Hs.
apply: has_vjp_ext (vjp_maxpool topP own S) => // g i; apply: share_of_winner => //.
by apply: winner_alone => // [o|k /Hs]; [exact: max_of_strict (topP x o) (own o) (S o) | lra].
Qed.
Theorem rule_extreme_minimum : (forall x o, is_min (fun i => r i == o) x (top x o)) ->
  (forall i, i != m (r i) -> x (m (r i)) < x i) -> has_vjp top x (share top x).
Proof.
move=> topP Hs; have S := in_set (lt := fun a b => b < a) Hs.
apply: has_vjp_ext (vjp_minpool topP own S) => // g i; apply: share_of_winner => //.
by apply: winner_alone => // [o|k /Hs]; [exact: min_of_strict (topP x o) (own o) (S o) | lra].
Qed.
End Share.
End Extreme.

(** The winner of a window as a selector: y o is the sum over i of [m o = i] x i, and the transposed
    sum sends g o to the winner (select_and_scatter). *)
Theorem rule_selector (I O : finType) (m : O -> I) (x : tensor I) o :
  \rsum_i (if m o == i then 1 else 0) * x i = x (m o).
Proof.
rewrite (eq_bigr (fun i => delta i (m o) * x i)) ?sum_deltal // => i _.
by rewrite /delta eq_sym.
Qed.
Theorem rule_selector_scatter (I O : finType) (m : O -> I) (g : tensor O) i :
  \rsum_o (if m o == i then 1 else 0) * g o = \rsum_(o | m o == i) g o.
Proof. by rewrite [RHS]sum_mkcond; apply: eq_bigr => o _; case: ifP => _; ring. Qed.

(** Average pool: window o has the points p with [window p = o], and divides by count o, whatever
    that is (all taps, or those inside only). *)
Theorem vjp_average_pool (P I O : finType) (inside : pred P) (window : P -> O) (entry : P -> I) (count : O -> R) (x : tensor I) :
  has_vjp (fun y o => / count o * \rsum_(p | inside p && (window p == o)) y (entry p)) x
          (fun g i => \rsum_(p | inside p && (entry p == i)) / count (window p) * g (window p)).
Proof.
have := transpose_form inside window entry (fun p => / count (window p)) x.
apply: has_vjp_ext => // y o; rewrite /linear_form -sumZl; apply: eq_bigr => p /andP [_ /eqP <-]; ring.
Qed.
(** Global average pool over the positions P of each picture and channel. *)
Theorem vjp_global_average_pool (C P : finType) (x : tensor [finType of C * P]) :
  has_vjp (fun y c => / INR #|P| * \rsum_p y (c, p)) x (fun g cp => / INR #|P| * g cp.1).
Proof.
have := vjp_average_pool xpredT (fun cp : C * P => cp.1) id (fun _ => INR #|P|) x.
apply: has_vjp_ext => [y c|g i]; last by rewrite big_pred1_eq.
congr (_ * _); rewrite (reindex_onto (fun p => (c, p)) (fun cp : C * P => cp.2)) /=.
  by apply: eq_big => [p|p _]; rewrite ?eqxx.
by case=> c' p /= /eqP ->.
Qed.
