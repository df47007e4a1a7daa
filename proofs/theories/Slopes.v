(** Slopes of functions of two numbers, and of functions that jump, away from their jumps. *)
From Coq Require Export ZArith Lia.
From Gradwright Require Export Derivatives.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Notation pair_at u v := (fun side : bool => if side then u else v).
Notation bools := (tensor bool_finType).

Lemma grad_first (p : bools) : is_grad (fun z : bools => z true) p (fun side => if side then 1 else 0).
Proof. by apply: is_grad_eqg (is_grad_proj true p); case. Qed.
Lemma grad_second (p : bools) : is_grad (fun z : bools => z false) p (fun side => if side then 0 else 1).
Proof. by apply: is_grad_eqg (is_grad_proj false p); case. Qed.

Lemma near_pair u v d : 0 < d ->
  near (pair_at u v : bools) (fun z => Rabs (z true - u) < d /\ Rabs (z false - v) < d).
Proof.
move=> d0; apply: near_mono (near_ball _ d0) => z Hz.
by split; apply: Rle_lt_trans Hz; [exact: (norm1_coord (diff z (pair_at u v : bools)) true)
  | exact: (norm1_coord (diff z (pair_at u v : bools)) false)].
Qed.
Lemma slopes_near f h u v a b :
  near (pair_at u v : bools) (fun z => h (z true) (z false) = f (z true) (z false)) ->
  slopes h u v a b -> slopes f u v a b.
Proof. move=> N; exact: is_grad_ext_near. Qed.
Lemma is_grad_continuous (I : finType) (f : tensor I -> R) x g e : is_grad f x g -> 0 < e ->
  near x (fun y => Rabs (f y - f x) < e).
Proof.
move=> H e0; have L := is_grad_lip H; have P : 0 < 1 + norm1 g by have := norm1_ge0 g; lra.
have B : 0 < e / (1 + norm1 g) by apply: Rdiv_lt_0_compat.
apply: near_mono (near_and L (near_ball x B)) => y [A D]; apply: Rle_lt_trans A _.
apply: (Rlt_le_trans _ ((1 + norm1 g) * (e / (1 + norm1 g)))); first exact: Rmult_lt_compat_l.
by apply: Req_le; field; lra.
Qed.

Lemma slopes_plus u v : slopes Rplus u v 1 1.
Proof. by apply: is_grad_eqg (is_grad_plus (grad_first _) (grad_second _)); case=> /=; ring. Qed.
Lemma slopes_minus u v : slopes Rminus u v 1 (-1).
Proof. by apply: is_grad_eqg (is_grad_minus (grad_first _) (grad_second _)); case=> /=; ring. Qed.
Lemma slopes_mult u v : slopes Rmult u v v u.
Proof. by apply: is_grad_eqg (is_grad_mult (grad_first _) (grad_second _)); case=> /=; ring. Qed.
Lemma slopes_div u v : v <> 0 -> slopes Rdiv u v (/ v) (- (u / v * / v)).
Proof.
move=> H; apply: is_grad_eqg (is_grad_mult (grad_first _) (is_grad_comp1 (grad_second _) (d_inv H))).
by case=> /=; field.
Qed.
Lemma slopes_power u v : 0 < u ->
  slopes (fun a b => exp (b * ln a)) u v (v * (exp (v * ln u) * / u)) (exp (v * ln u) * ln u).
Proof.
move=> H; have L := is_grad_comp1 (grad_first (pair_at u v)) (d_ln H).
have M := is_grad_mult (grad_second (pair_at u v)) L.
by apply: is_grad_eqg (is_grad_comp1 M (d_exp _)); case=> /=; ring.
Qed.
(** Off ties the larger operand has the slope 1: near the point it is the maximum. *)
Lemma slopes_max u v : u <> v ->
  slopes Rmax u v (1 - (if Rlt_dec 0 (v - u) then 1 else 0)) (if Rlt_dec 0 (v - u) then 1 else 0).
Proof.
move=> H; have P : 0 < Rabs (u - v) / 2 by have := Rabs_pos_lt (u - v) ltac:(lra); lra.
have N := near_pair u v P; case: Rlt_dec => C.
  apply: slopes_near (_ : slopes (fun _ b => b) u v _ _).
    by apply: near_mono N; rewrite (Rabs_left (u - v)) => [z [/Rabs_def2 ? /Rabs_def2 ?]|]; rewrite ?Rmax_right; lra.
  by apply: is_grad_eqg (grad_second _); case=> /=; ring.
apply: slopes_near (_ : slopes (fun a _ => a) u v _ _).
  by apply: near_mono N; rewrite (Rabs_right (u - v)) => [z [/Rabs_def2 ? /Rabs_def2 ?]|]; rewrite ?Rmax_left; lra.
by apply: is_grad_eqg (grad_first _); case=> /=; ring.
Qed.
Lemma slopes_min u v : u <> v ->
  slopes Rmin u v (1 - (if Rlt_dec 0 (u - v) then 1 else 0)) (if Rlt_dec 0 (u - v) then 1 else 0).
Proof.
move=> H; apply: is_grad_ext (is_grad_eqg _ (is_grad_minus (slopes_plus u v) (slopes_max H))) => [z|side] /=.
  by rewrite /Rmin /Rmax; case: Rle_dec => ? /=; ring.
by case: side; do 2 (case: Rlt_dec => /= ?); lra.
Qed.
Lemma slopes_constant f u v : near (pair_at u v : bools) (fun z => f (z true) (z false) = f u v) -> slopes f u v 0 0.
Proof.
move=> N; apply: slopes_near (_ : slopes (fun _ _ => f u v) u v 0 0).
  by apply: near_mono N => z ->.
by apply: is_grad_eqg (is_grad_const _ _); case.
Qed.

(** The angle of the point (a, b): the half plane b > 0 by the arctangent of a / b. *)
Definition atan2 (a b : R) : R :=
  if Rlt_dec 0 a then PI / 2 - atan (b / a)
  else if Rlt_dec a 0 then - (PI / 2) - atan (b / a)
  else if Rlt_dec 0 b then 0 else PI.
Lemma atan2_right a b : 0 < b -> atan2 a b = atan (a / b).
Proof.
move=> b0; rewrite /atan2; case: Rlt_dec => [a0|na].
  by rewrite -atan_inv; [congr atan; field; lra | exact: Rdiv_lt_0_compat].
case: Rlt_dec => [a0|na']; last first.
  have -> /= : a / b = 0 by rewrite (_ : a = 0); [rewrite /Rdiv Rmult_0_l | lra].
  by move=> /=; case: (Rlt_dec 0 b) => ? /=; rewrite ?atan_0.
have P : 0 < b / - a by apply: Rdiv_lt_0_compat; lra.
have := atan_inv _ P; rewrite (_ : / (b / - a) = - (a / b)); last by field; lra.
rewrite (_ : b / - a = - (b / a)); last by field; lra.
by rewrite !atan_opp /=; lra.
Qed.
Lemma slopes_atan2 u v : 0 < v \/ u <> 0 ->
  slopes atan2 u v (v * / (u * u + v * v)) (- (u * / (u * u + v * v))).
Proof.
have Q (a b : R) : b <> 0 -> a * a + b * b <> 0 by nra.
case: (Rlt_dec 0 v) => [v0 _|nv H].
  apply: slopes_near (_ : slopes (fun a b => atan (a / b)) u v _ _).
    apply: near_mono (near_pair u v v0) => z [_ /Rabs_def2 ?]; rewrite atan2_right //; lra.
  have V : v <> 0 by lra.
  apply: is_grad_eqg (is_grad_comp1 (slopes_div u V) (d_atan _)).
  by have q := Q u v V; case=> /=; field; repeat split => //; nra.
have U : u <> 0 by case: H => //; lra.
have D : slopes (fun a b => b / a) u v (- (v / u * / u)) (/ u).
  by apply: is_grad_eqg (is_grad_mult (grad_second _) (is_grad_comp1 (grad_first _) (d_inv U))); case=> /=; field.
have P : 0 < Rabs u by exact: Rabs_pos_lt.
pose c := if Rlt_dec 0 u then PI / 2 else - (PI / 2).
apply: slopes_near (_ : slopes (fun a b => c - atan (b / a)) u v _ _).
  apply: near_mono (near_pair u v P) => z [/Rabs_def2 E _]; rewrite /atan2 /c; move: E; rewrite /Rabs.
  by case: Rcase_abs => ? ?; repeat (case: Rlt_dec => ? /=); lra.
apply: is_grad_eqg (is_grad_minus (is_grad_const c _) (is_grad_comp1 D (d_atan _))).
by have q := Q v u U; case=> /=; field; repeat split => //; nra.
Qed.

(** ** Functions that jump *)
Definition whole (t : R) : Prop := exists n, t = IZR n.
Definition floorR (t : R) : R := IZR (Int_part t).
Definition ceilR (t : R) : R := - floorR (- t).
Definition truncate (t : R) : R := if Rle_dec 0 t then floorR t else ceilR t.
Definition round_away (t : R) : R := if Rle_dec 0 t then floorR (t + / 2) else - floorR (- t + / 2).
Definition round_even (t : R) : R := let n := Int_part (t + / 2) in
  if Req_EM_T (t + / 2) (IZR n) then (if Z.even n then IZR n else IZR n - 1) else IZR n.

Lemma floor_spec t z : IZR z <= t < IZR z + 1 -> floorR t = IZR z.
Proof.
move=> H; have E : (z + 1)%Z = up t by apply: tech_up; rewrite plus_IZR; lra.
by rewrite /floorR /Int_part -E Z.add_simpl_r.
Qed.
(** Numbers near t are those within some d of it. *)
Lemma locally_of (P : R -> Prop) t d : 0 < d -> (forall s, Rabs (s - t) < d -> P s) -> locally t P.
Proof. by move=> d0 H; exists (mkposreal d d0). Qed.
Lemma locally_moved (P : R -> Prop) t u : locally (t + u) P -> locally t (fun s => P (s + u)).
Proof.
case=> d D; exists d => s S; apply: D; move: S; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /=.
by rewrite (_ : s + u + - (t + u) = s + - t) //; ring.
Qed.
Lemma locally_opposite (P : R -> Prop) t : locally (- t) P -> locally t (fun s => P (- s)).
Proof.
case=> d D; exists d => s S; apply: D; move: S; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /=.
by rewrite (_ : - s + - - t = - (s + - t)) ?Rabs_Ropp //; ring.
Qed.
(** Off 0 the sign of a number does not change near it. *)
Lemma locally_sign t : t <> 0 -> locally t (fun s => Rle_dec 0 s = Rle_dec 0 t :> bool).
Proof.
move=> N; apply: (locally_of (Rabs_pos_lt _ N)) => s; rewrite /Rabs.
by do 2 (case: Rcase_abs => ?); do 2 (case: Rle_dec => /= ?) => //; lra.
Qed.
Definition flat (f : R -> R) (t : R) : Prop := locally t (fun s => f s = f t).
Lemma floor_near t : ~ whole t -> flat floorR t.
Proof.
move=> H; have [A B] := base_Int_part t; set z := Int_part t in A B.
have A' : IZR z <> t by move=> E; apply: H; exists z.
apply: (@locally_of _ _ (Rmin (t - IZR z) (IZR z + 1 - t))); first by apply: Rmin_glb_lt; lra.
move=> s /Rabs_def2 [S1 S2]; rewrite (@floor_spec t z) ?(@floor_spec s z) //; last by lra.
by have := Rmin_l (t - IZR z) (IZR z + 1 - t); have := Rmin_r (t - IZR z) (IZR z + 1 - t); lra.
Qed.
Lemma whole_opp t : whole (- t) -> whole t.
Proof. by case=> n E; exists (- n)%Z; rewrite opp_IZR -E Ropp_involutive. Qed.
Lemma ceil_near t : ~ whole t -> flat ceilR t.
Proof.
move=> H; have := locally_opposite (floor_near (fun W => H (whole_opp W))).
by apply: filter_imp => s E; rewrite /ceilR E.
Qed.
Lemma not_whole_0 t : ~ whole t -> t <> 0. Proof. by move=> H E; apply: H; exists 0%Z. Qed.
Lemma flat_by_sign (f g : R -> R) t : t <> 0 -> flat f t -> flat g t -> flat (fun s => if Rle_dec 0 s then f s else g s) t.
Proof.
move=> N F G; apply: filter_imp (filter_and _ _ (locally_sign N) (filter_and _ _ F G)) => s [E [Ef Eg]].
by move: E; case: Rle_dec; case: Rle_dec.
Qed.
Lemma truncate_near t : ~ whole t -> flat truncate t.
Proof. by move=> H; apply: flat_by_sign; [exact: not_whole_0 | exact: floor_near | exact: ceil_near]. Qed.
Lemma round_even_near t : ~ whole (t + / 2) -> flat round_even t.
Proof.
have R u : ~ whole (u + / 2) -> round_even u = floorR (u + / 2).
  by move=> H; rewrite /round_even; case: Req_EM_T => // E; case: H; exists (Int_part (u + / 2)).
move=> H; have [A B] := base_Int_part (t + / 2); set z := Int_part (t + / 2) in A B.
have A' : IZR z <> t + / 2 by move=> E; apply: H; exists z.
apply: (@locally_of _ _ (Rmin (t + / 2 - IZR z) (IZR z + 1 - (t + / 2)))); first by apply: Rmin_glb_lt; lra.
have L := Rmin_l (t + / 2 - IZR z) (IZR z + 1 - (t + / 2)); have M := Rmin_r (t + / 2 - IZR z) (IZR z + 1 - (t + / 2)).
move=> s /Rabs_def2 [S1 S2]; have I : IZR z < s + / 2 < IZR z + 1 by lra.
rewrite !R //; first by rewrite !(@floor_spec _ z) //; lra.
case=> n E; move: I; rewrite E -(plus_IZR _ 1) => -[/lt_IZR ? /lt_IZR ?]; lia.
Qed.
Lemma round_away_near t : ~ whole (t + / 2) -> flat round_away t.
Proof.
have Z s : Rabs s < / 2 -> round_away s = 0.
  move=> /Rabs_def2 [? ?]; rewrite /round_away; case: Rle_dec => ? /=.
    by apply: floor_spec; lra.
  by rewrite (@floor_spec _ 0); lra.
move=> H; case: (Req_dec t 0) => [->|t0].
  by apply: (@locally_of _ _ (/ 2)) => [|s]; [lra | rewrite Rminus_0_r => S; rewrite !Z // Rabs_R0; lra].
have H' : ~ whole (- t + / 2).
  by move=> [n E]; apply: H; exists (1 - n)%Z; rewrite minus_IZR -E; lra.
apply: flat_by_sign => //; first exact: locally_moved (floor_near H).
have := locally_opposite (locally_moved (floor_near H')); apply: filter_imp => s E.
by congr (- _).
Qed.
(** The slope of what does not change near a point is 0. *)
Lemma d_flat f t : flat f t -> is_derive f t 0.
Proof. by move=> F; apply: (is_derive_ext_loc (fun _ => f t)) (is_derive_const _ _); apply: filter_imp F. Qed.
(** The remainder after truncating division. *)
Definition remainder (a b : R) : R := a - b * truncate (a / b).
Lemma slopes_remainder u v : v <> 0 -> ~ whole (u / v) ->
  slopes remainder u v 1 (- truncate (u / v)).
Proof.
move=> V H; have [d D] := truncate_near H.
apply: slopes_near (_ : slopes (fun a b => a - b * truncate (u / v)) u v _ _).
  apply: near_mono (is_grad_continuous (slopes_div u V) (cond_pos d)) => z Hz.
  by rewrite /remainder -(D _ Hz).
have M := is_grad_scal (truncate (u / v)) (grad_second (pair_at u v)).
apply: is_grad_ext (is_grad_eqg _ (is_grad_minus (grad_first _) M)); first by move=> z /=; ring.
by case=> /=; ring.
Qed.
