(** Finite sums of real numbers, over any finite set of indices. *)
From Coq Require Export Reals Lra FunctionalExtensionality.
From mathcomp Require Export ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype bigop.
From Coquelicot Require Export Coquelicot.
Global Set Bullet Behavior "None".
Global Open Scope R_scope.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------- finite sums over R ---------- *)
Lemma RplusA : associative Rplus. Proof. by move=> x y z; rewrite Rplus_assoc. Qed.
Lemma RmultA : associative Rmult. Proof. by move=> x y z; rewrite Rmult_assoc. Qed.
Canonical Rplus_monoid := Monoid.Law RplusA Rplus_0_l Rplus_0_r.
Canonical Rplus_comoid := Monoid.ComLaw Rplus_comm.
Canonical Rmult_monoid := Monoid.Law RmultA Rmult_1_l Rmult_1_r.
Canonical Rmult_comoid := Monoid.ComLaw Rmult_comm.
Canonical Rmult_muloid := Monoid.MulLaw Rmult_0_l Rmult_0_r.
Lemma RmultDl : left_distributive Rmult Rplus. Proof. by move=> x y z; ring. Qed.
Lemma RmultDr : right_distributive Rmult Rplus. Proof. by move=> x y z; ring. Qed.
Canonical Rplus_addoid := Monoid.AddLaw RmultDl RmultDr.

Notation "\rsum_ i F" := (\big[Rplus/0%R]_i F%R)
  (at level 41, F at level 41, i at level 0, format "'[' \rsum_ i '/  '  F ']'").
Notation "\rsum_ ( i : t ) F" := (\big[Rplus/0%R]_(i : t) F%R)
  (at level 41, F at level 41, i at level 50, only parsing).
Notation "\rsum_ ( i | P ) F" := (\big[Rplus/0%R]_(i | P%B) F%R)
  (at level 41, F at level 41, i at level 50,
   format "'[' \rsum_ ( i  |  P ) '/  '  F ']'").
Notation "\rsum_ ( i : t | P ) F" := (\big[Rplus/0%R]_(i : t | P%B) F%R)
  (at level 41, F at level 41, i at level 50, only parsing).

Section Sums.
Variables (I : finType).
Implicit Types (F G : I -> R) (P : pred I).

Lemma sumD P F G : \rsum_(i | P i) (F i + G i) = \rsum_(i | P i) F i + \rsum_(i | P i) G i.
Proof. exact: big_split. Qed.
Lemma sumZl P a F : \rsum_(i | P i) (a * F i) = a * \rsum_(i | P i) F i.
Proof. by rewrite big_distrr. Qed.
Lemma sumZr P a F : \rsum_(i | P i) (F i * a) = (\rsum_(i | P i) F i) * a.
Proof. by rewrite big_distrl. Qed.
Lemma sumN P F : \rsum_(i | P i) (- F i) = - \rsum_(i | P i) F i.
Proof. have -> : - (\rsum_(i | P i) F i) = -1 * (\rsum_(i | P i) F i) by ring.
by rewrite -sumZl; apply: eq_bigr => i _; ring. Qed.
Lemma sumB P F G : \rsum_(i | P i) (F i - G i) = \rsum_(i | P i) F i - \rsum_(i | P i) G i.
Proof. by rewrite /Rminus -sumN -sumD. Qed.
Lemma sum0 P F : (forall i, P i -> F i = 0) -> \rsum_(i | P i) F i = 0.
Proof. by move=> H; rewrite big1. Qed.
Lemma sum_le P F G : (forall i, P i -> F i <= G i) -> \rsum_(i | P i) F i <= \rsum_(i | P i) G i.
Proof. move=> H; apply: (big_ind2 (fun a b => a <= b)) => //; first lra.
by move=> *; lra. Qed.
Lemma sum_ge0 P F : (forall i, P i -> 0 <= F i) -> 0 <= \rsum_(i | P i) F i.
Proof. move=> H; apply: (big_ind (fun a => 0 <= a)) => //; first lra. by move=> *; lra. Qed.
Lemma sum_abs P F : Rabs (\rsum_(i | P i) F i) <= \rsum_(i | P i) Rabs (F i).
Proof. apply: (big_ind2 (fun a b => Rabs a <= b)); first by rewrite Rabs_R0; lra.
  by move=> a a' b b' *; have := Rabs_triang a b; lra.
by move=> i _; lra. Qed.
(* Kronecker *)
Definition delta (i j : I) : R := if i == j then 1 else 0.
Lemma deltaC i j : delta i j = delta j i. Proof. by rewrite /delta eq_sym. Qed.
Lemma sum_deltal F j : \rsum_i delta i j * F i = F j.
Proof. rewrite (bigD1 j) //= /delta eqxx Rmult_1_l big1 ?Rplus_0_r // => i /negbTE ->; ring. Qed.
Lemma sum_deltar F j : \rsum_i F i * delta i j = F j.
Proof. by under eq_bigr do rewrite Rmult_comm; exact: sum_deltal. Qed.
Lemma sum_mkcond P F : \rsum_(i | P i) F i = \rsum_i (if P i then F i else 0).
Proof. exact: big_mkcond. Qed.
Lemma sum_term_le F i : (forall i, 0 <= F i) -> F i <= \rsum_j F j.
Proof. move=> H; rewrite (bigD1 i) //=; have := @sum_ge0 (fun j => j != i) F (fun j _ => H j); lra. Qed.
Lemma sum_const a : \rsum_(i : I) a = INR #|I| * a.
Proof. rewrite big_const; elim: #|I| => [|n IH]; first by rewrite /=; ring.
by rewrite S_INR /= IH; ring. Qed.
End Sums.

Lemma sum_exch (I J : finType) (F : I -> J -> R) :
  \rsum_i \rsum_j F i j = \rsum_j \rsum_i F i j.
Proof. exact: exchange_big. Qed.
Lemma sum_pair (I J : finType) (F : I -> J -> R) :
  \rsum_i \rsum_j F i j = \rsum_(p : I * J) F p.1 p.2.
Proof. exact: pair_bigA. Qed.

Lemma sum_pairE (I J : finType) (F : I * J -> R) :
  \rsum_(p : I * J) F p = \rsum_i \rsum_j F (i, j).
Proof. by rewrite pair_bigA; apply: eq_bigr => -[]. Qed.
