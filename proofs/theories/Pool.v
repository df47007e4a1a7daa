(** Pooling. *)
From Gradwright Require Export Vjp.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------------- (g) max pool off ties ---------------- *)
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
