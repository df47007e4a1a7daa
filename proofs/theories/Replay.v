(** What a replayed program needs beyond the rules: glue between a text and the theorems. *)
From Gradwright Require Export Softmax Module.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Lemma dlt_refl (I : finType) (i : I) : 1 = delta i i + 0. Proof. rewrite /delta eqxx; ring. Qed.
Theorem vjp_mean_xent (N I : finType) (i0 : I) (y x : tensor [finType of N * I]) : (forall n, \rsum_j y (n, j) = 1) ->
  has_vjp (fun z (_ : unit_finType) => mean_xent y z) x
    (fun dy q => / INR #|N| * (softmax (fun j => x (q.1, j)) q.2 - y q) * dy tt).
Proof. by move=> Hy; apply/has_vjp_scalar; exact: grad_mean_xent. Qed.
(* emitted softmax, any row shift m, row sums as a fibre sum *)
Lemma softmax_emitted (N I : finType) (i0 : I) (z : tensor [finType of N * I]) (m : tensor N) q :
  exp (z q - m q.1) / (\rsum_(r : [finType of N * I] | r.1 == q.1) exp (z r - m r.1))
  = softmax (fun j => z (q.1, j)) q.2.
Proof.
case: q => n j /=; rewrite -(softmax_shift i0 (fun j => z (n, j)) (m n) j) /softmax /sumexp; congr (_ / _).
rewrite (reindex_onto (fun j => (n, j)) (fun r : N * I => r.2)) /=; last by case=> n' j' /= /eqP ->.
by apply: eq_bigl => k; rewrite !eqxx.
Qed.
Lemma loss_glue (p sm y c : R) : p = sm -> (p - y) * c = c * (sm - y) * 1. Proof. move=> ->; ring. Qed.
Ltac put_simpl := rewrite ?put_same; repeat (rewrite put_diff; [|by []]).
Ltac close1 := first [ reflexivity | by [] | exact: contractC | by symmetry; exact: contractC | ring ].
Ltac close_eq := first [ close1 | refine (f_equal2 Rplus _ _); [close1 | close1]
  | rewrite [RHS]Rplus_comm; refine (f_equal2 Rplus _ _); [close1 | close1] ].
