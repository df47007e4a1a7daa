(** Windows: which entry wins an extreme, at ties and beside infinite borders, and who gets its cotangent. *)
From Coq Require Import ZArith Lia.
From Gradwright Require Export Pool KinkRules.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** The winner of a walk
    A window is walked entry by entry; [beats held next] says whether the next entry takes over
    from the one that is held. Of a maximum that is [x held < x next] where the first of equal
    entries wins, and [x held <= x next] where the last one does; of a minimum with x for -x. *)
Section Walk.
Variables (I : eqType) (beats : I -> I -> bool).
Definition next_held (held : option I) (i : I) : option I :=
  if held is Some h then (if beats h i then Some i else held) else Some i.
Definition winner (walk : seq I) : option I := foldl next_held None walk.
Lemma winner_rcons walk i : winner (rcons walk i) = next_held (winner walk) i.
Proof. by rewrite /winner -cats1 foldl_cat. Qed.
Lemma winner_held walk : walk != [::] -> exists2 w, winner walk = Some w & w \in walk.
Proof.
elim/last_ind: walk => // walk i IH _; rewrite winner_rcons.
case: (altP (walk =P [::])) => [->|/IH [w -> W]]; first by exists i; rewrite // inE.
by rewrite /next_held; case: beats; [exists i | exists w]; rewrite // mem_rcons inE ?eqxx ?W ?orbT.
Qed.
End Walk.
Arguments winner {I} beats walk.
Definition later_if_more (I : Type) (x : I -> R) (held next : I) : bool := Rlt_dec (x held) (x next).
Definition later_if_equal (I : Type) (x : I -> R) (held next : I) : bool := Rle_dec (x held) (x next).

Section Extreme.
Variables (I : finType) (x : tensor I).
(** The first of the largest entries: all before it are smaller, none after it is larger. *)
Theorem rule_window_first walk w : winner (later_if_more x) walk = Some w ->
  exists before after, walk = before ++ w :: after /\
    (forall i, i \in before -> x i < x w) /\ (forall i, i \in after -> x i <= x w).
Proof.
elim/last_ind: walk w => // walk i IH w; rewrite winner_rcons.
case: (altP (walk =P [::])) => [->|/(winner_held (later_if_more x)) [h Eh _]].
  by case=> <-; exists [::], [::].
rewrite Eh /= /later_if_more; have [p [q [E [P Q]]]] := IH h Eh.
case: Rlt_dec => /= H [<-]; last first.
  exists p, (rcons q i); split; first by rewrite E -cats1 -catA /= cats1.
  by split=> // k; rewrite mem_rcons inE => /orP [/eqP ->|/Q //]; lra.
exists walk, [::]; split; first by rewrite cats1.
split=> // k; rewrite E mem_cat inE => /orP [/P|/orP [/eqP ->|/Q]]; lra.
Qed.
(** Likewise the last of them. *)
Theorem rule_window_last walk w : winner (later_if_equal x) walk = Some w ->
  exists before after, walk = before ++ w :: after /\
    (forall i, i \in before -> x i <= x w) /\ (forall i, i \in after -> x i < x w).
Proof.
elim/last_ind: walk w => // walk i IH w; rewrite winner_rcons.
case: (altP (walk =P [::])) => [->|/(winner_held (later_if_equal x)) [h Eh _]].
  by case=> <-; exists [::], [::].
rewrite Eh /= /later_if_equal; have [p [q [E [P Q]]]] := IH h Eh.
case: Rle_dec => /= H [<-]; last first.
  exists p, (rcons q i); split; first by rewrite E -cats1 -catA /= cats1.
  by split=> // k; rewrite mem_rcons inE => /orP [/eqP ->|/Q //]; lra.
exists walk, [::]; split; first by rewrite cats1.
split=> // k; rewrite E mem_cat inE => /orP [/P|/orP [/eqP ->|/Q]]; lra.
Qed.
(** Either way the winner has the largest value, at ties as well: the result of a window does not
    depend on how ties are told. *)
Theorem rule_window_value beats walk w : beats = later_if_more x \/ beats = later_if_equal x ->
  winner beats walk = Some w -> is_max (fun i => i \in walk) x (x w).
Proof.
case=> -> W; [have := rule_window_first W | have := rule_window_last W]; case=> p [q [-> [P Q]]].
  split; first by exists w; rewrite // mem_cat inE eqxx orbT.
  by move=> i; rewrite mem_cat inE => /orP [/P|/orP [/eqP ->|/Q]]; lra.
split; first by exists w; rewrite // mem_cat inE eqxx orbT.
by move=> i; rewrite mem_cat inE => /orP [/P|/orP [/eqP ->|/Q]]; lra.
Qed.
End Extreme.
(** Which of the two a region means that says whether to keep what is held. *)
Theorem rule_window_order h n :
  compare (Rlt_dec n h) = positive (h - n) /\ compare (Rle_dec n h) = positive (h - n) + zero (h - n).
Proof. by rewrite /compare; split; repeat (case: Rle_dec => /= ?); cases. Qed.

(** Where one entry of each window is larger than all others of it, it wins, and has the cotangent:
    the transposed sum over the selector is the vector-Jacobian product of the windows' maxima. *)
Theorem rule_window_gradient (I O : finType) (walk : O -> seq I) (m : O -> I) (x : tensor I) :
  (forall o, m o \in walk o) -> (forall o i, i \in walk o -> i != m o -> x i < x (m o)) ->
  (forall o, winner (later_if_more x) (walk o) = Some (m o)) /\
  has_vjp (fun y o => if winner (later_if_more y) (walk o) is Some w then y w else 0) x
          (fun g i => \rsum_o (if m o == i then 1 else 0) * g o).
Proof.
move=> Hm Hs; have held (y : tensor I) o : exists2 w, winner (later_if_more y) (walk o) = Some w & w \in walk o.
  by apply: winner_held; case: (walk o) (Hm o).
split=> [o|].
  have [w E W] := held x o; rewrite E; congr Some; apply/eqP; apply: contraT => N.
  have [_ H] := rule_window_value (or_introl erefl) E; have := H _ (Hm o); have := Hs o w W N; lra.
have P (y : tensor I) o : is_max (fun i => i \in walk o) y (if winner (later_if_more y) (walk o) is Some w then y w else 0).
  by have [w E _] := held y o; rewrite E; exact: rule_window_value (or_introl erefl) E.
apply: has_vjp_ext (vjp_maxpool (win := fun o i => i \in walk o) P Hm Hs) => // g i.
by rewrite rule_selector_scatter.
Qed.

(** The same behind any computation f, and where entries of a window agree with its winner near the
    point, as zeros of rectified values do: whichever of them is taken for the winner. *)
Theorem vjp_window_off_ties (S I O : finType) (walk : O -> seq I) (m : O -> I) (f : tensor S -> tensor I) s bf :
  has_vjp f s bf -> (forall o, m o \in walk o) ->
  (forall o i, i \in walk o -> f s i < f s (m o) \/ near s (fun y => f y i = f y (m o))) ->
  has_vjp (fun y o => if winner (later_if_more (f y)) (walk o) is Some w then f y w else 0) s
          (fun g => bf (fun i => \rsum_o (if m o == i then 1 else 0) * g o)).
Proof.
move=> Vf Hm H; have [A [HA _]] := Vf.
have N o i : near s (fun y => i \in walk o -> f y i <= f y (m o)).
  case W : (i \in walk o); last by apply: near_true.
  case: (H o i W) => [L|]; last by apply: near_mono => y -> _; lra.
  have P : f s (m o) - f s i <> 0 by lra.
  by apply: near_mono (keeps_sign (is_grad_minus (HA (m o)) (HA i)) P) => y K _; nra.
have V := vjp_comp Vf (vjp_reindex m (f s)).
apply: has_vjp_ext_near (has_vjp_ext (fun _ _ => erefl) _ V) => [|g i].
  apply: near_mono (near_all (fun o => near_all (fun i => N o i))) => y Hy o.
  have [w E W] : exists2 w, winner (later_if_more (f y)) (walk o) = Some w & w \in walk o.
    by apply: winner_held; case: (walk o) (Hm o).
  rewrite E; have [_ M] := rule_window_value (or_introl erefl) E.
  by have := M _ (Hm o); have := Hy o w W; lra.
by congr (bf _ i); apply: functional_extensionality => k; rewrite rule_selector_scatter.
Qed.

(** ** A border of -inf
    Entries outside of a picture count as -inf. They win nowhere, be ties told as they may, where
    a window holds an entry of the picture: the border may be walked past. *)
Section Border.
Variables (I : eqType) (inside : pred I) (x : I -> R).
Definition bordered (i : I) : Rbar := if inside i then Finite (x i) else m_infty.
Definition bordered_if_more (h n : I) : bool := Rbar_lt_dec (bordered h) (bordered n).
Definition bordered_if_equal (h n : I) : bool := Rbar_le_dec (bordered h) (bordered n).
Lemma winner_border (on within : I -> I -> bool) : (forall h n, inside h -> inside n -> on h n = within h n) ->
  (forall h n, inside h -> ~~ inside n -> on h n = false) -> (forall h n, ~~ inside h -> inside n -> on h n) ->
  forall walk, has inside walk -> winner on walk = winner within (filter inside walk).
Proof.
move=> both out in_ walk.
suff S : if has inside walk then winner on walk = winner within (filter inside walk) /\
      exists2 w, winner on walk = Some w & inside w
    else forall w, winner on walk = Some w -> ~~ inside w.
  by move=> H; move: S; rewrite H => -[].
elim/last_ind: walk => // walk i; rewrite has_rcons filter_rcons winner_rcons.
case A : (has inside walk); case B : (inside i) => /=.
- move=> [E [w W iw]]; rewrite winner_rcons -E W /= both //.
  by split=> //; case: (within w i); [exists i | exists w].
- by move=> [E [w W iw]]; rewrite -E W /= out ?B //; split=> //; exists w.
- have -> : filter inside walk = [::] by apply/eqP; rewrite -[_ == _]negbK -has_filter A.
  move=> N; case W : (winner on walk) => [w|] /=; last by split=> //; exists i.
  by rewrite in_ ?(N _ W) //; split=> //; exists i.
- move=> N w; case W : (winner on walk) => [h|] /=; last by case=> <-; rewrite B.
  by case: (on h i) => -[<-]; [rewrite B | exact: N W].
Qed.
Theorem rule_window_border walk : has inside walk ->
  winner bordered_if_more walk = winner (later_if_more x) (filter inside walk) /\
  winner bordered_if_equal walk = winner (later_if_equal x) (filter inside walk).
Proof.
move=> H; split; apply: winner_border H => h n; rewrite /bordered_if_more /bordered_if_equal /bordered.
- by move=> -> ->; rewrite /later_if_more; case: Rbar_lt_dec; case: Rlt_dec.
- by move=> -> /negbTE ->; case: Rbar_lt_dec.
- by move=> /negbTE -> ->; case: Rbar_lt_dec => //= N; case: N.
- by move=> -> ->; rewrite /later_if_equal; case: Rbar_le_dec; case: Rle_dec.
- by move=> -> /negbTE ->; case: Rbar_le_dec.
- by move=> /negbTE -> ->; case: Rbar_le_dec => //= N; case: N.
Qed.
End Border.
(** Along one dimension: the positions start + step k that lie in [0, extent). Those of them in a box
    [low, high) are, counted from low on, those of the box, begun as much earlier. *)
Section Positions.
Local Open Scope Z_scope.
Definition positions (count : nat) (start step extent : Z) : seq Z :=
  [seq p <- [seq start + step * Z.of_nat k | k <- seq.iota 0 count] | Z.leb 0 p && Z.ltb p extent].
Theorem rule_window_box count start step extent low high : 0 <= low -> high <= extent ->
  [seq p - low | p <- positions count start step extent & Z.leb low p && Z.ltb p high] =
  positions count (start - low) step (high - low).
Proof.
move=> Hl Hh; rewrite /positions; elim: (seq.iota 0 count) => //= k s <-.
have E p : Z.leb 0 (p - low) && Z.ltb (p - low) (high - low) = Z.leb low p && Z.ltb p high.
  by case: (Z.leb_spec low p); case: (Z.ltb_spec p high); case: Z.leb_spec; case: Z.ltb_spec => //=; lia.
have F p : Z.leb low p && Z.ltb p high -> Z.leb 0 p && Z.ltb p extent.
  by case: (Z.leb_spec low p); case: (Z.ltb_spec p high); case: Z.leb_spec; case: Z.ltb_spec => //=; lia.
set p := start + _; have -> : start - low + step * Z.of_nat k = p - low by rewrite /p; lia.
rewrite E; case A : (Z.leb low p && Z.ltb p high).
  by rewrite (F _ A) /= A.
by case: (Z.leb 0 p && Z.ltb p extent) => /=; rewrite ?A.
Qed.
End Positions.
