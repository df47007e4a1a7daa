(** Analytic functions of one number: power series near every point, and few zeros unless all are. *)
From Coq Require Import Classical.
From Gradwright Require Export Slopes Multilinear.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** Sets of numbers that are countable *)
Definition few (A : R -> Prop) : Prop := exists u : nat -> R, forall t, A t -> exists n, u n = t.
Lemma few_sub (A B : R -> Prop) : (forall t, A t -> B t) -> few B -> few A.
Proof. by move=> AB [u H]; exists u => t /AB /H. Qed.
Lemma few_one a : few (fun t => t = a).
Proof. by exists (fun=> a) => t ->; exists 0%N. Qed.
Lemma few_or A B : few A -> few B -> few (fun t => A t \/ B t).
Proof.
case=> u HA [v HB]; exists (fun n => if odd n then v n./2 else u n./2) => t [/HA [n <-]|/HB [n <-]].
  by exists (false + n.*2)%N; rewrite oddD odd_double half_bit_double.
by exists (true + n.*2)%N; rewrite oddD odd_double half_bit_double.
Qed.

(** ** Power series *)
Local Notation inside d c := (Rbar_le (Finite d) (CV_radius c)).
Lemma radius_at d (c : nat -> R) h : inside d c -> Rabs h < d -> Rbar_lt (Rabs h) (CV_radius c).
Proof. by move=> D H; apply: Rbar_lt_le_trans D. Qed.
Lemma radius_of_bound d (c : nat -> R) M : 0 < d -> (forall n, Rabs (c n) * d ^ n <= M) -> inside d c.
Proof.
move=> d0 H; apply: (proj1 (CV_radius_bounded c)); exists M => n.
by rewrite Rabs_mult (Rabs_right (d ^ n)) //; apply: Rle_ge; apply: pow_le; lra.
Qed.
Lemma radius_of_sums d (c : nat -> R) : (forall h, 0 < h < d -> ex_pseries c h) -> inside d c.
Proof.
move=> H; apply: Rbar_not_lt_le => L; have := CV_radius_ge_0 c; move: L.
case E : (CV_radius c) => [r||] //= L r0; pose h := (r + d) / 2.
have P : 0 < h < d by rewrite /h; lra.
have Q : Rbar_lt (CV_radius c) (Rabs h) by rewrite E /= Rabs_right /h; lra.
by apply: (CV_disk_outside _ _ Q); apply: ex_series_lim_0; apply/ex_pseries_R; exact: H.
Qed.
Lemma bound_of_radius d (c : nat -> R) : 0 < d -> inside d c ->
  exists e, 0 < e < d /\ exists M, 0 <= M /\ forall n, Rabs (c n) * e ^ n <= M.
Proof.
move=> d0 D; apply: NNPP => N; pose e := d / 2; have He : 0 < e < d by rewrite /e; lra.
have [_ least] := CV_radius_bounded c.
suff : Rbar_le (CV_radius c) e by move=> L; have := Rbar_le_trans _ _ _ D L; rewrite /= /e; lra.
apply: least => x [M HM]; apply: Rnot_lt_le => ex; apply: N; exists e; split=> //; exists M.
split; first by apply: Rle_trans (HM 0%N); exact: Rabs_pos.
move=> n; apply: Rle_trans (HM n); rewrite Rabs_mult; apply: Rmult_le_compat_l; first exact: Rabs_pos.
by rewrite -RPow_abs; apply: pow_incr; split; [lra | apply: Rle_trans (Rle_abs x); lra].
Qed.

Definition series_at (f : R -> R) (a d : R) (c : nat -> R) : Prop :=
  0 < d /\ inside d c /\ forall t, Rabs (t - a) < d -> f t = PSeries c (t - a).
Definition analytic (f : R -> R) : Prop := forall a, exists d c, series_at f a d c.

Lemma series_smaller f a d c e : 0 < e <= d -> series_at f a d c -> series_at f a e c.
Proof.
move=> ed [d0 [D H]]; repeat split; first lra; last by move=> t T; apply: H; lra.
by apply: Rbar_le_trans D; rewrite /=; lra.
Qed.
Lemma series_both f g a d e b c : series_at f a d b -> series_at g a e c ->
  exists r, series_at f a r b /\ series_at g a r c.
Proof.
move=> F G; have [d0 _] := F; have [e0 _] := G; exists (Rmin d e).
have r0 : 0 < Rmin d e by exact: Rmin_pos.
by split; [apply: series_smaller F | apply: series_smaller G]; split=> //; [exact: Rmin_l | exact: Rmin_r].
Qed.
Lemma analytic_ext f g : (forall t, f t = g t) -> analytic f -> analytic g.
Proof. by move=> E F a; have [d [c [d0 [D H]]]] := F a; exists d, c; split=> //; split=> // t T; rewrite -E H. Qed.

Lemma analytic_affine p q : analytic (fun t => p + q * t).
Proof.
move=> a; pose c n := match n with 0%nat => p + q * a | 1%nat => q | _ => 0 end.
have D : inside 1 c.
  apply: (@radius_of_bound _ _ (Rabs (p + q * a) + Rabs q)) => [|n]; first lra.
  rewrite pow1 Rmult_1_r; have A := Rabs_pos (p + q * a); have B := Rabs_pos q.
  by case: n => [|[|n]] /=; rewrite ?Rabs_R0; lra.
exists 1, c; split; [lra | split=> // t T].
have D1 : inside 1 (PS_decr_1 c) by rewrite CV_radius_decr_1.
rewrite PSeries_decr_1; last by apply: CV_radius_inside; exact: radius_at T.
rewrite PSeries_decr_1; last by apply: CV_radius_inside; exact: radius_at T.
by rewrite (PSeries_ext (PS_decr_1 (PS_decr_1 c)) (fun=> 0)) // PSeries_const_0 /PS_decr_1 /c; ring.
Qed.
Lemma analytic_const p : analytic (fun=> p).
Proof. by apply: analytic_ext (analytic_affine p 0) => t; ring. Qed.
Lemma analytic_id : analytic (fun t => t).
Proof. by apply: analytic_ext (analytic_affine 0 1) => t; ring. Qed.
Lemma analytic_plus f g : analytic f -> analytic g -> analytic (fun t => f t + g t).
Proof.
move=> F G a; have [d [b Fd]] := F a; have [e [c Ge]] := G a.
have [r [[r0 [B HF]] [_ [C HG]]]] := series_both Fd Ge.
exists r, (PS_plus b c); split=> //; split=> [|t T].
  by apply: Rbar_le_trans (CV_radius_plus b c); apply: Rbar_min_case.
by rewrite HF // HG // PSeries_plus //; apply: CV_radius_inside; exact: radius_at T.
Qed.
Lemma analytic_mult f g : analytic f -> analytic g -> analytic (fun t => f t * g t).
Proof.
move=> F G a; have [d [b Fd]] := F a; have [e [c Ge]] := G a.
have [r [[r0 [B HF]] [_ [C HG]]]] := series_both Fd Ge.
exists r, (PS_mult b c); split=> //; split=> [|t T].
  by apply: radius_of_sums => h H; have A : Rabs h < r by [rewrite Rabs_right; lra]; apply: ex_pseries_mult; exact: radius_at A.
by rewrite HF // HG // PSeries_mult //; exact: radius_at T.
Qed.
Lemma analytic_sum (K : finType) (P : pred K) (f : K -> R -> R) : (forall k, analytic (f k)) ->
  analytic (fun t => \rsum_(k | P k) f k t).
Proof.
move=> H; rewrite /index_enum; elim: (Finite.enum K) => [|k s IH].
  by apply: analytic_ext (analytic_const 0) => t; rewrite big_nil.
case E : (P k); last by apply: analytic_ext IH => t; rewrite big_cons E.
by apply: analytic_ext (analytic_plus (H k) IH) => t; rewrite big_cons E.
Qed.
Lemma analytic_prod (K : finType) (P : pred K) (f : K -> R -> R) : (forall k, analytic (f k)) ->
  analytic (fun t => \rprod_(k | P k) f k t).
Proof.
move=> H; rewrite /index_enum; elim: (Finite.enum K) => [|k s IH].
  by apply: analytic_ext (analytic_const 1) => t; rewrite big_nil.
case E : (P k); last by apply: analytic_ext IH => t; rewrite big_cons E.
by apply: analytic_ext (analytic_mult (H k) IH) => t; rewrite big_cons E.
Qed.

(** ** The zeros of an analytic function that is not 0 everywhere are countably many *)
Definition zero_near (f : R -> R) (a : R) : Prop := exists2 d, 0 < d & forall t, Rabs (t - a) < d -> f t = 0.
Definition alone_near (f : R -> R) (a : R) : Prop :=
  exists2 d, 0 < d & forall t, Rabs (t - a) < d -> t <> a -> f t <> 0.
Lemma zero_or_alone f a : analytic f -> zero_near f a \/ alone_near f a.
Proof.
move=> /(_ a) [d [c [d0 [D H]]]]; case: (classic (forall n, c n = 0)) => [Z|N].
  left; exists d => // t T; rewrite H // (PSeries_ext c (fun=> 0)) //; exact: PSeries_const_0.
right; have [n [Cn least]] : exists n, c n <> 0 /\ forall k, (k < n)%coq_nat -> c k = 0.
  have [n Cn] := not_all_ex_not _ _ N; elim/ltn_ind: n Cn => n IH Cn.
  case: (classic (forall k, (k < n)%coq_nat -> c k = 0)) => [L|/not_all_ex_not [k K]]; first by exists n.
  by have [/ltP kn ck] := imply_to_and _ _ K; exact: IH kn ck.
have D' : inside d (PS_decr_n c n).
  elim: n {Cn least} => [|n IH]; first by rewrite (CV_radius_ext _ c).
  by rewrite (CV_radius_ext _ (PS_decr_1 (PS_decr_n c n))) ?CV_radius_decr_1 // => k; rewrite /PS_decr_n /PS_decr_1; congr c; lia.
have C0 : continuity_pt (PSeries (PS_decr_n c n)) 0.
  by apply: PSeries_continuity; apply: radius_at D' _; rewrite Rabs_R0.
have P : 0 < Rabs (c n) by exact: Rabs_pos_lt.
have [e [e0 E]] := C0 _ P; exists (Rmin d e) => [|t T ta]; first exact: Rmin_pos.
have Td := Rlt_le_trans _ _ _ T (Rmin_l d e); have Te := Rlt_le_trans _ _ _ T (Rmin_r d e).
rewrite H // (PSeries_decr_n_aux c n (t - a) least); apply: Rmult_integral_contrapositive_currified.
  by apply: pow_nonzero; lra.
move=> Z; have := E (t - a); rewrite /= /R_dist Z PSeries_0 /PS_decr_n Nat.add_0_r Rminus_0_l Rabs_Ropp => K.
have : Rabs (c n) < Rabs (c n) by apply: K; split; [split=> //; lra | rewrite Rminus_0_r].
lra.
Qed.
(** Only one of the two happens, and the same one at every point: both sets are open. *)
Lemma zero_near_everywhere f a : analytic f -> zero_near f a -> forall t, zero_near f t.
Proof.
move=> F Z; pose g t := real (Lub_Rbar (fun y => y = 0 \/ (y = 1 /\ zero_near f t))).
have g1 t : zero_near f t -> g t = 1.
  move=> H; rewrite /g (is_lub_Rbar_unique _ 1) //; split=> [y [->|[-> _]] /=|b B]; try lra.
  by apply: B; right.
have g0 t : ~ zero_near f t -> g t = 0.
  move=> H; rewrite /g (is_lub_Rbar_unique _ 0) //; split=> [y [->|[_ /H //]] /=|b B]; first lra.
  by apply: B; left.
have flat t : is_derive g t 0.
  apply: d_flat; case: (zero_or_alone t F) => [[d d0 D]|[d d0 D]]; apply: (locally_of d0) => s S.
    rewrite (g1 t (ex_intro2 _ _ d d0 D)) g1 //.
    apply: (ex_intro2 _ _ (d - Rabs (s - t))) => [|v V]; first lra.
    by apply: D; have := Rabs_triang (v - s) (s - t); rewrite (_ : v - s + (s - t) = v - t); [lra | ring].
  have N v : Rabs (v - t) < d -> ~ zero_near f v.
    move: v => {S}s S [e e0 E]; pose w := Rmin e (d - Rabs (s - t)) / 2.
    have w0 : 0 < w by rewrite /w; have := Rmin_pos e (d - Rabs (s - t)) e0 ltac:(lra); lra.
    have W1 := Rmin_l e (d - Rabs (s - t)); have W2 := Rmin_r e (d - Rabs (s - t)).
    have small v : Rabs v <= w -> s + v <> t -> False.
      move=> V vt; apply: (D (s + v)) => //; last by apply: E; rewrite (_ : s + v - s = v); [rewrite /w in V w0; lra | ring].
      by rewrite (_ : s + v - t = v + (s - t)); [have := Rabs_triang v (s - t); rewrite /w in V w0; lra | ring].
    case: (Req_dec (s + w) t) => [Ew|Nw]; last by apply: (small w) => //; rewrite Rabs_right; lra.
    by apply: (small 0); rewrite ?Rabs_R0; lra.
  rewrite !g0 //; apply: N => //; by rewrite Rminus_eq_0 Rabs_R0.
move=> t; apply: NNPP => N; have := g0 _ N; have := g1 _ Z.
have C u v : u < v -> g u = g v by apply: eq_is_derive => s _; exact: flat.
by case: (Rtotal_order t a) => [/C ->|[-> |/C <-]] => [->||->] //; lra.
Qed.
(** Points of which each is alone in an interval with rational ends are countably many. *)
Lemma few_isolated (A : R -> Prop) : (forall a, A a -> exists2 d, 0 < d & forall t, Rabs (t - a) < d -> A t -> t = a) ->
  few A.
Proof.
move=> H; pose mid (k l m : nat) := (INR k - INR l) / (INR m + 1).
pose here k l m t := Rabs (t - mid k l m) < / (INR m + 1) /\ A t.
pose u n := if unpickle n is Some (k, l, m) then real (Lub_Rbar (here k l m)) else 0.
exists u => a Aa; have [d d0 D] := H a Aa.
have [m Hm] : exists m : nat, 2 / d < INR m + 1.
  have P : 0 < 2 / d by apply: Rdiv_lt_0_compat; lra.
  have [Z _] := archimed (2 / d); exists (Z.to_nat (up (2 / d))).
  by rewrite INR_IZR_INZ Z2Nat.id; [lra | apply: le_IZR; lra].
have m0 : 0 < INR m + 1 by have := pos_INR m; lra.
have small : 2 / (INR m + 1) < d.
  apply: (Rmult_lt_reg_r (INR m + 1)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
  by move: Hm => /(Rmult_lt_compat_l d _ _ d0); rewrite (_ : d * (2 / d) = 2); [lra | field; lra].
have := base_Int_part (a * (INR m + 1)); set z' := Int_part _ => -[Z3 Z4].
pose k := Z.to_nat z'; pose l := Z.to_nat (- z').
have kl : INR k - INR l = IZR z'.
  rewrite /k /l !INR_IZR_INZ -minus_IZR; congr IZR; lia.
have near_a : Rabs (a - mid k l m) < / (INR m + 1).
  rewrite /mid kl (_ : a - IZR z' / (INR m + 1) = (a * (INR m + 1) - IZR z') * / (INR m + 1)); last by field; lra.
  have i0 : 0 < / (INR m + 1) by exact: Rinv_0_lt_compat.
  rewrite Rabs_mult (Rabs_right (/ _)) ?(Rabs_right (_ - _)); try lra.
  by rewrite -[X in _ < X]Rmult_1_l; apply: Rmult_lt_compat_r => //; lra.
have only t : here k l m t -> t = a.
  move=> [T At]; apply: D => //; apply: Rlt_trans small.
  rewrite (_ : t - a = (t - mid k l m) + - (a - mid k l m)); last by ring.
  by apply: Rle_lt_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp /Rdiv; lra.
exists (pickle (k, l, m)); rewrite /u pickleK (is_lub_Rbar_unique _ a) //.
by split=> [t /only -> /=|b B]; [lra | apply: B].
Qed.
Theorem analytic_zeros f t : analytic f -> f t <> 0 -> few (fun s => f s = 0).
Proof.
move=> F N; apply: few_isolated => a fa; case: (zero_or_alone a F) => [Z|[d d0 D]].
  by have [d d0 D] := zero_near_everywhere F Z t; case: N; apply: D; rewrite Rminus_eq_0 Rabs_R0.
by exists d => // s S fs; apply: NNPP => K; exact: (D s S K).
Qed.
