(** The certifier's normal forms of sums: what may be eliminated, merged, separated and renamed. *)
From Gradwright Require Export IndexRules Multilinear.
From mathcomp Require Import finset.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section Rules.
Variables I J : finType.
Implicit Types (F G : I -> R).

Theorem rule_sum_linear a b F G : \rsum_i (a * F i + b * G i) = a * (\rsum_i F i) + b * \rsum_i G i.
Proof. by rewrite sumD !sumZl. Qed.
(** A sum inside a sum is one sum over both. *)
Theorem rule_sum_unfold F (H : I -> J -> R) : \rsum_i F i * (\rsum_j H i j) = \rsum_(p : I * J) F p.1 * H p.1 p.2.
Proof. by rewrite -(sum_pair (fun i j => F i * H i j)); apply: eq_bigr => i _; rewrite sumZl. Qed.
(** Sums of what shares no variable are separate. *)
Theorem rule_sum_independent F (G : J -> R) : \rsum_(p : I * J) F p.1 * G p.2 = (\rsum_i F i) * \rsum_j G j.
Proof. by rewrite -(sum_pair (fun i j => F i * G j)) -sumZr; apply: eq_bigr => i _; rewrite sumZl. Qed.
(** A variable that nothing reads multiplies by its extent. *)
Theorem rule_sum_unused (a : R) : \rsum_(i : I) a = INR #|I| * a.
Proof. exact: sum_const. Qed.
(** The names of summed variables do not matter. *)
Theorem rule_sum_rename (h : J -> I) F : bijective h -> \rsum_i F i = \rsum_j F (h j).
Proof. by move=> b; rewrite (reindex h) //; apply: onW_bij. Qed.
(** Guards on summed variables that hold at one point at most count the points where one holds. *)
Theorem rule_sum_held (g : pred I) : (forall i i', g i -> g i' -> i = i') ->
  \rsum_(i | g i) 1 = if [exists i, g i] then 1 else 0.
Proof.
move=> H; case: existsP => [[i gi]|N]; last by rewrite big1 // => i gi; case: N; exists i.
by rewrite (bigD1 i) //= big1 ?Rplus_0_r // => k /andP [gk /eqP]; case; exact: H.
Qed.
End Rules.

(** ** Sums as sets of points *)
Section Relations.
Variables (K : finType) (F : K -> R).
(** A sum whose terms depend on the key of a point only, each key being met once, is a sum over the
    set of keys. *)
Lemma sum_over_keys (P : finType) (gd : pred P) (key : P -> K) : {in gd &, injective key} ->
  \rsum_(p | gd p) F (key p) = \rsum_(k | k \in [set key p | p in gd]) F k.
Proof. by move=> inj; rewrite big_imset. Qed.
(** Hence two sums with the same set of keys are equal: this is what is asked of isl. *)
Theorem rule_sum_relation (P P' : finType) (gd : pred P) (gd' : pred P') (key : P -> K) (key' : P' -> K) :
  {in gd &, injective key} -> {in gd' &, injective key'} ->
  [set key p | p in gd] = [set key' p | p in gd'] ->
  \rsum_(p | gd p) F (key p) = \rsum_(p | gd' p) F (key' p).
Proof. by move=> a b E; rewrite (sum_over_keys a) (sum_over_keys b) E. Qed.
(** Pieces with coefficients, each a sum over its set of keys, add up to 0 when at every key the
    coefficients of the pieces that hold it do. *)
Theorem rule_sum_pieces (A : finType) (keys : A -> {set K}) (c : A -> R) :
  (forall k, \rsum_(a | k \in keys a) c a = 0) -> \rsum_a c a * (\rsum_(k | k \in keys a) F k) = 0.
Proof.
move=> H; under eq_bigr do rewrite -sumZl.
rewrite (exchange_big_dep xpredT) //= big1 // => k _.
by rewrite sumZr H Rmult_0_l.
Qed.
(** A sum over points is one over the keys, each as often as it is met. *)
Theorem rule_sum_gather (P : finType) (gd : pred P) (key : P -> K) :
  \rsum_(p | gd p) F (key p) = \rsum_k F k * \rsum_(p | gd p && (key p == k)) 1.
Proof.
rewrite (partition_big key xpredT) //=; apply: eq_bigr => k _.
by rewrite -sumZl; apply: eq_bigr => p /andP [_ /eqP ->]; rewrite Rmult_1_r.
Qed.
(** Where equal factors may change places, so may what they are read at. *)
Theorem rule_sum_symmetric (P : finType) (gd : pred P) (key : P -> K) (swap : K -> K) :
  (forall k, F (swap k) = F k) -> \rsum_(p | gd p) F (key p) = \rsum_(p | gd p) F (swap (key p)).
Proof. by move=> H; apply: eq_bigr => p _; rewrite H. Qed.
End Relations.

(** ** Guards on one summed variable *)
Section Intervals.
Local Notation at_ v := (Z.of_nat (nat_of_ord v)).
(** An equation k v + e = low with k = 1 or -1 is solved for v, inside its range. *)
Theorem rule_sum_equation (n : nat) (k e low : Z) (F : Z -> R) : (k = 1 \/ k = -1)%Z ->
  \rsum_(v : 'I_n | Z.eqb (k * at_ v + e) low) F (at_ v) =
  guard 0 (Z.of_nat n) (k * (low - e)) * F (k * (low - e))%Z.
Proof.
move=> Hk; have S v : Z.eqb (k * v + e) low = Z.eqb v (k * (low - e)).
  by apply/idP/idP => /Z.eqb_spec E; apply/Z.eqb_spec; case: Hk E => -> E; lia.
set s := (k * (low - e))%Z in S *.
rewrite /guard; case: Z.leb_spec => A /=; last first.
  by rewrite Rmult_0_l big1 // => v; rewrite S => /Z.eqb_spec E; exfalso; have := Zle_0_nat v; lia.
case: Z.ltb_spec => B /=; last first.
  rewrite Rmult_0_l big1 // => v; rewrite S => /Z.eqb_spec E; exfalso; have /ltP := ltn_ord v; lia.
have L : (Z.to_nat s < n)%N by apply/ltP; lia.
have E : Z.of_nat (Z.to_nat s) = s by lia.
rewrite (bigD1 (Ordinal L)) /= ?S ?E ?Z.eqb_refl // big1 ?Rplus_0_r ?Rmult_1_l // => v.
by rewrite S => /andP [/Z.eqb_spec Ev /eqP []]; apply: val_inj => /=; lia.
Qed.
(** A guard low <= v < high on a variable is a shift of it. *)
Theorem rule_sum_interval (n low high : nat) (F : nat -> R) : (low <= high)%N -> (high <= n)%N ->
  \rsum_(v : 'I_n | (low <= v)%N && (v < high)%N) F v = \rsum_(w : 'I_(high - low)) F (low + w)%N.
Proof.
move=> lh hn; rewrite -(big_mkord xpredT (fun w => F (low + w)%N)) -(big_mkord (fun v => (low <= v)%N && (v < high)%N) F).
rewrite (big_cat_nat _ _ _ (leq0n low)) ?(leq_trans lh) //= big_nat_cond big1 ?Rplus_0_l; last first.
  by move=> v /andP [/andP [_ A] /andP [B _]]; rewrite ltnNge B in A.
rewrite (big_cat_nat _ _ _ lh hn) /= [X in _ + X]big_nat_cond [X in _ + X]big1 ?Rplus_0_r; last first.
  by move=> v /andP [/andP [A _] /andP [_ B]]; rewrite ltnNge A in B.
rewrite -{1}[low]add0n big_addn big_nat_cond [RHS]big_nat_cond; apply: eq_big => w; last by rewrite addnC.
rewrite !leq0n /= andbT; case L: (w < high - low)%N => //=.
by rewrite leq_addl /= addnC -ltn_subRL.
Qed.
End Intervals.

(** Two variables that occur as n u + w only are one variable over both extents. *)
Theorem rule_sum_merge (m n : nat) (F : 'I_(m * n) -> R) :
  \rsum_(u : 'I_m) \rsum_(w : 'I_n) F (radix (u, w)) = \rsum_i F i.
Proof. by rewrite rule_sum_digits. Qed.

(** Everything that a form does in one place: its transposition. *)
Theorem rule_multilinear_transpose (P O I : finType) (gd : pred P) (oo : P -> O) (ia : P -> I) (c : P -> R) (a : tensor I) :
  has_vjp (linear_form gd oo ia c) a (linear_form gd ia oo c).
Proof. exact: transpose_form. Qed.

(** A value that grows by a term free of itself is its start plus the sum of the terms. *)
Theorem rule_loop_sum (n : nat) (v t : nat -> R) : (forall k, v k.+1 = v k + t k) ->
  v n = v 0%N + \rsum_(k : 'I_n) t k.
Proof.
move=> H; elim: n => [|n IH]; first by rewrite big_ord0 Rplus_0_r.
by rewrite H IH big_ord_recr /= Rplus_assoc.
Qed.
(** A counter. *)
Theorem rule_loop_counter (n : nat) (v : nat -> R) (step : R) : (forall k, v k.+1 = v k + step) ->
  v n = v 0%N + INR n * step.
Proof. by move=> /rule_loop_sum ->; rewrite sum_const card_ord. Qed.

(** Reading at a computed place is a sum against the mask of the place. *)
Theorem rule_read_by_mask (I : finType) (x : I -> R) (s : I) : \rsum_i (if s == i then 1 else 0) * x i = x s.
Proof.
by rewrite -[RHS](sum_deltal x s); apply: eq_bigr => i _; rewrite /delta eq_sym.
Qed.

(** What a sum reads at an index that no summed variable meets may be named: the sum is one tensor
    over that index, read at it. *)
Theorem rule_sum_interface (P A B O : finType) (gd : pred P) (x : A * B -> R) (r : P -> B) (e : O -> A) (F : P -> R) o :
  \rsum_(p | gd p) x (e o, r p) * F p = (fun a => \rsum_(p | gd p) x (a, r p) * F p) (e o).
Proof. by []. Qed.
(** Where numbers times what is read, added up, give a variable, equal reads have it equal: two summed
    points of a sum whose variables are all given so are never read alike. *)
Theorem rule_reads_determine (P R_ : finType) (e : P -> R_ -> R) (v : P -> R) (c : R_ -> R) (c0 : R) :
  (forall p, v p = c0 + \rsum_j c j * e p j) -> forall p q, (forall j, e p j = e q j) -> v p = v q.
Proof. by move=> H p q E; rewrite !H; congr (_ + _); apply: eq_bigr => j _; rewrite E. Qed.

(** A class is a polynomial under a name; taking guards common to all terms out is distributivity. *)
Theorem rule_common_guard (I : finType) (g : R) (F : I -> R) : \rsum_i (g * F i) = g * \rsum_i F i.
Proof. exact: sumZl. Qed.
