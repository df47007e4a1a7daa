(** What a replayed pair of texts needs beyond the rules: how its equations are closed. *)
From Gradwright Require Export Pull Module.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** The output of a forward text against a cotangent y: its gradient is what the backward returns. *)
Theorem vjp_against (I : finType) (y x : tensor I) :
  has_vjp (fun z (_ : unit_finType) => \rsum_i y i * z i) x (fun g i => y i * g tt).
Proof.
apply: has_vjp_ext (vjp_linear (fun (_ : unit_finType) i => y i) (fun=> 0) x) => [z u|g i]; first by ring.
by rewrite (bigD1 tt) //= big1 ?Rplus_0_r // => -[].
Qed.
(** A text tests the result of a rectifier where the rule tests its argument. *)
Lemma relu_mask (x a b : R) : (if Rlt_dec 0 (relu x) then a else b) = if Rlt_dec 0 x then a else b.
Proof. by rewrite /relu /Rmax; case: Rle_dec => ?; repeat (case: Rlt_dec => ? /=); lra. Qed.
Lemma select_mask (u v a b : R) :
  (if Rlt_dec 0 (if Rlt_dec u v then 1 else 0) then a else b) = if Rlt_dec u v then a else b.
Proof. by case: (Rlt_dec u v) => ? /=; case: Rlt_dec => ? /=; lra. Qed.

Ltac put_simpl := rewrite ?put_same; repeat (rewrite put_diff; [|by []]).
Ltac close1 := first [ reflexivity | by [] | exact: contractC | by symmetry; exact: contractC
  | by rewrite ?select_mask ?relu_mask | ring ].
Ltac close_eq := first [ close1 | refine (f_equal2 Rplus _ _); [close1 | close1]
  | rewrite [RHS]Rplus_comm; refine (f_equal2 Rplus _ _); [close1 | close1] ].
