(** Exponentials, logarithms, powers and the like of analytic functions are analytic. *)
From Gradwright Require Export Analytic.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Local Notation inside d c := (Rbar_le (Finite d) (CV_radius c)).

(** ** Derivatives and primitives *)
Lemma series_derive f a d c t : series_at f a d c -> Rabs (t - a) < d -> is_derive f t (PSeries (PS_derive c) (t - a)).
Proof.
move=> [d0 [D H]] T; apply: (is_derive_ext_loc (fun t => PSeries c (t - a))).
  have P : 0 < d - Rabs (t - a) by lra.
  exists (mkposreal _ P) => s; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /= => S.
  by rewrite H //; have := Rabs_triang (s - t) (t - a); rewrite (_ : s - t + (t - a) = s - a); [rewrite /Rminus in S *; lra | ring].
have := is_derive_comp (PSeries c) (fun t => t - a) t _ 1 (is_derive_PSeries _ _ (radius_at D T)).
by rewrite /scal /= /mult /= Rmult_1_l; apply; auto_derive.
Qed.
Lemma analytic_derivative f f' : analytic f -> (forall t, is_derive f t (f' t)) -> analytic f'.
Proof.
move=> F H a; have [d [c S]] := F a; have [d0 [D _]] := S.
exists d, (PS_derive c); split=> //; split=> [|t T]; first by rewrite CV_radius_derive.
by rewrite -(is_derive_unique _ _ _ (H t)) (is_derive_unique _ _ _ (series_derive S T)).
Qed.
Lemma flat_is_constant (g : R -> R) a d t : (forall s, Rabs (s - a) < d -> is_derive g s 0) -> Rabs (t - a) < d -> g t = g a.
Proof.
move=> H /Rabs_def2 [T1 T2]; case: (Rtotal_order t a) => [L|[-> //|L]]; last symmetry.
  by apply: eq_is_derive L => s S; apply: H; apply: Rabs_def1; lra.
by apply: eq_is_derive L => s S; apply: H; apply: Rabs_def1; lra.
Qed.
Lemma analytic_primitive f f' : analytic f' -> (forall t, is_derive f t (f' t)) -> analytic f.
Proof.
move=> F H a; have [d [b [d0 [D E]]]] := F a.
pose c n := match n with 0%nat => f a | S m => b m / INR (S m) end.
have Dc n : PS_derive c n = b n by rewrite /PS_derive /c; field; apply: not_0_INR.
have C : inside d c by rewrite -CV_radius_derive (CV_radius_ext _ b).
exists d, c; split=> //; split=> // t T.
pose p s := PSeries c (s - a).
have S : series_at p a d c by split.
suff : f t - p t = f a - p a by rewrite /p Rminus_eq_0 PSeries_0 /=; lra.
apply: (@flat_is_constant (fun s => f s - p s) _ d) => // s Hs.
have := is_derive_minus _ _ _ _ _ (H s) (series_derive S Hs).
by rewrite (PSeries_ext _ b) // -E // /minus plus_opp_r.
Qed.

(** ** Sequences that are defined by all of their earlier terms *)
Section Recursion.
Variables (T : Type) (step : nat -> (nat -> T) -> T) (first : T).
Hypothesis local_ : forall n f g, (forall k, (k < n)%coq_nat -> f k = g k) -> step n f = step n g.
Fixpoint table (n : nat) : nat -> T := match n with
  | 0%nat => fun k => if Nat.eqb k 0 then step 0 (fun=> first) else first
  | S m => fun k => if Nat.leb k m then table m k else step (S m) (table m) end.
Definition by_earlier n := table n n.
Lemma tableS m k : table (S m) k = if Nat.leb k m then table m k else step (S m) (table m).
Proof. by []. Qed.
Lemma table_earlier m k : (k <= m)%coq_nat -> table m k = by_earlier k.
Proof.
elim: m => [|m IH] L; first by have -> : k = 0%N by lia.
rewrite tableS; case: Nat.leb_spec => K; first exact: IH.
have -> : k = S m by lia.
by rewrite /by_earlier tableS; case: Nat.leb_spec => //; lia.
Qed.
Lemma by_earlierE n : by_earlier n = step n by_earlier.
Proof.
case: n => [|n]; first by rewrite {1}/by_earlier; apply: local_ => k; lia.
rewrite {1}/by_earlier tableS; case: Nat.leb_spec => [|_]; first lia.
by apply: local_ => k K; apply: table_earlier; lia.
Qed.
End Recursion.

(** ** y' = q z and z' = s q y, for a number s of size 1 at most *)
Section System.
Variables (y z q : R -> R) (s : R).
Hypotheses (s1 : Rabs s <= 1) (Q : analytic q).
Section AtPoint.
Variables (a d : R) (b : nat -> R).
Hypothesis B : series_at q a d b.
Local Definition terms (n : nat) (f : nat -> R) := sum_f_R0 (fun k => b k * f (n - k)%coq_nat) n.
Definition coefs : nat -> R * R := by_earlier (fun n f => match n with
  | 0%nat => (y a, z a)
  | S m => (terms m (fun k => (f k).2) / INR (S m), s * terms m (fun k => (f k).1) / INR (S m)) end) (0, 0).
Lemma coefsE n : coefs n = match n with
  | 0%nat => (y a, z a)
  | S m => (terms m (fun k => (coefs k).2) / INR (S m), s * terms m (fun k => (coefs k).1) / INR (S m)) end.
Proof.
rewrite {1}/coefs by_earlierE // => {}n f g E; case: n E => // n E.
have T (p : R * R -> R) : terms n (fun k => p (f k)) = terms n (fun k => p (g k)).
  by apply: PartSum.sum_eq => k K; rewrite E //; lia.
by rewrite (T fst) (T snd).
Qed.
Lemma terms_bound n f r M : 0 <= r -> (forall k, Rabs (b k) * r ^ k <= M) -> forall L,
  (forall k, (k <= n)%coq_nat -> Rabs (f k) * r ^ k <= L) -> Rabs (terms n f) * r ^ n <= INR (S n) * (M * L).
Proof.
move=> r0 HM L HL; rewrite /terms.
apply: (Rle_trans _ (sum_f_R0 (fun _ => M * L) n)); last by rewrite sum_cte; lra.
apply: (Rle_trans _ (sum_f_R0 (fun k => Rabs (b k * f (n - k)%coq_nat)) n * r ^ n)).
  by apply: Rmult_le_compat_r; [exact: pow_le | exact: Rsum_abs].
rewrite Rmult_comm scal_sum; apply: sum_Rle => k K.
have P i := pow_le r i r0.
rewrite (_ : r ^ n = r ^ k * r ^ (n - k)%coq_nat); last by rewrite -pow_add; congr (_ ^ _); lia.
rewrite Rabs_mult (_ : _ * _ * _ = (Rabs (b k) * r ^ k) * (Rabs (f (n - k)%coq_nat) * r ^ (n - k)%coq_nat)); last by ring.
by apply: Rmult_le_compat; [apply: Rmult_le_pos; [exact: Rabs_pos|] | apply: Rmult_le_pos; [exact: Rabs_pos|] | | apply: HL; lia].
Qed.
Lemma coefs_bound : exists r, 0 < r <= d /\ exists L, forall n, Rabs (coefs n).1 * r ^ n <= L /\ Rabs (coefs n).2 * r ^ n <= L.
Proof.
have [d0 [D _]] := B; have [e [He [M [M0 HM]]]] := bound_of_radius d0 D.
pose r := Rmin e (/ (M + 1)); have i0 : 0 < / (M + 1) by apply: Rinv_0_lt_compat; lra.
have r0 : 0 < r by apply: Rmin_pos => //; lra.
have re : r <= e := Rmin_l _ _; have rM : r * M <= 1.
  have : r * (M + 1) <= / (M + 1) * (M + 1) by apply: Rmult_le_compat_r; [lra | exact: Rmin_r].
  by rewrite Rinv_l; [nra | lra].
have Hr k : Rabs (b k) * r ^ k <= M.
  by apply: Rle_trans (HM k); apply: Rmult_le_compat_l; [exact: Rabs_pos | apply: pow_incr; lra].
exists r; split; first lra.
exists (Rmax (Rabs (y a)) (Rabs (z a))); set L := Rmax _ _ => n.
have L0 : 0 <= L by apply: Rle_trans (Rmax_l _ _); exact: Rabs_pos.
elim/ltn_ind: n => -[|n] IH.
  by rewrite coefsE /= !Rmult_1_r; split; [exact: Rmax_l | exact: Rmax_r].
have S0 : 0 < INR (S n) by apply: lt_0_INR; lia.
have bound f t : Rabs t <= 1 -> (forall k, (k <= n)%coq_nat -> Rabs (f k) * r ^ k <= L) ->
    Rabs (t * terms n f / INR (S n)) * r ^ S n <= L.
  move=> t1 Hf; have T := @terms_bound n f r M (Rlt_le _ _ r0) Hr L Hf.
  have -> : Rabs (t * terms n f / INR (S n)) * r ^ S n = Rabs t * (Rabs (terms n f) * r ^ n * r / INR (S n)).
    rewrite /Rdiv !Rabs_mult Rabs_Rinv; last lra.
    by rewrite (Rabs_right (INR _)) -?tech_pow_Rmult; [ring | lra].
  have X : Rabs (terms n f) * r ^ n * r / INR (S n) <= L.
    apply: (Rmult_le_reg_r (INR (S n))) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
    have : Rabs (terms n f) * r ^ n * r <= INR (S n) * (M * L) * r by apply: Rmult_le_compat_r; lra.
    have : INR (S n) * L * (r * M) <= INR (S n) * L * 1.
      by apply: Rmult_le_compat_l => //; apply: Rmult_le_pos; lra.
    by lra.
  have Y : 0 <= Rabs (terms n f) * r ^ n * r / INR (S n).
    apply: Rmult_le_pos; last by apply: Rlt_le; exact: Rinv_0_lt_compat.
    by apply: Rmult_le_pos; [apply: Rmult_le_pos; [exact: Rabs_pos | apply: pow_le; lra] | lra].
  have Z := Rabs_pos t; nra.
have step k : (k <= n)%coq_nat -> (k < S n)%N by move=> K; apply/ltP; lia.
rewrite coefsE; split; cbn [fst snd].
  rewrite -[terms _ _]Rmult_1_l; apply: bound => [|k /step /IH [] //]; rewrite Rabs_R1; lra.
by apply: bound => // k /step /IH [].
Qed.
Lemma coefs_solve : exists r, 0 < r <= d /\ exists Y Z c e,
  series_at Y a r c /\ series_at Z a r e /\ Y a = y a /\ Z a = z a /\
  forall t, Rabs (t - a) < r -> is_derive Y t (q t * Z t) /\ is_derive Z t (s * (q t * Y t)).
Proof.
have [r [rd [L HL]]] := coefs_bound; have [d0 [D Hq]] := B.
pose c n := (coefs n).1; pose e n := (coefs n).2.
have C : inside r c by apply: (@radius_of_bound _ _ L) => [|n]; [lra | exact: (HL n).1].
have E : inside r e by apply: (@radius_of_bound _ _ L) => [|n]; [lra | exact: (HL n).2].
have D' : inside r b by apply: Rbar_le_trans D; rewrite /=; lra.
exists r; split=> //; exists (fun t => PSeries c (t - a)), (fun t => PSeries e (t - a)), c, e.
have Sc : series_at (fun t => PSeries c (t - a)) a r c by split; first lra.
have Se : series_at (fun t => PSeries e (t - a)) a r e by split; first lra.
rewrite Rminus_eq_0 !PSeries_0 /c /e coefsE; split=> //; split=> //; split=> //; split=> // t T.
have T' : Rabs (t - a) < d by lra.
have N n : INR (S n) <> 0 by apply: not_0_INR.
rewrite Hq //; split.
  have -> : PSeries b (t - a) * PSeries e (t - a) = PSeries (PS_derive c) (t - a).
    rewrite -PSeries_mult; [|exact: radius_at T | exact: radius_at T].
    apply: PSeries_ext => n; rewrite /PS_derive /c coefsE; cbn [fst snd].
    have -> : PS_mult b e n = terms n (fun k => (coefs k).2) by [].
    by field; exact: N.
  exact: series_derive Sc T.
have -> : s * (PSeries b (t - a) * PSeries c (t - a)) = PSeries (PS_derive e) (t - a).
  rewrite -PSeries_mult; [|exact: radius_at T | exact: radius_at T].
  rewrite -PSeries_scal; apply: PSeries_ext => n; rewrite /PS_derive /e coefsE; cbn [fst snd].
  have -> : PS_scal s (PS_mult b c) n = s * terms n (fun k => (coefs k).1) by [].
  by field; exact: N.
exact: series_derive Se T.
Qed.
End AtPoint.
End System.

(** ** Functions of an analytic function *)
Section Functions.
Variables (g g' : R -> R).
Hypotheses (G : analytic g) (d_g : forall t, is_derive g t (g' t)).
Let G' : analytic g'. Proof. exact: analytic_derivative G d_g. Qed.

Lemma analytic_of_derivative (phi phi' : R -> R) : (forall t, is_derive phi (g t) (phi' (g t))) ->
  analytic (fun t => phi' (g t)) -> analytic (fun t => phi (g t)).
Proof.
move=> H A; apply: analytic_primitive (analytic_mult G' A) _ => t.
exact: is_derive_comp (H t) (d_g t).
Qed.
Theorem analytic_exp : analytic (fun t => exp (g t)).
Proof.
move=> a; have [d [b B]] := G' a.
have s1 : Rabs 1 <= 1 by rewrite Rabs_R1; lra.
have [r [rd [Y [Z [c [e [Sc [Se [Ya [Za H]]]]]]]]]] := coefs_solve (fun t => exp (g t)) (fun t => exp (g t)) s1 B.
exists r, (PS_scal (/ 2) (PS_plus c e)).
have [r0 [C Hc]] := Sc; have [_ [E He]] := Se.
have CE : inside r (PS_plus c e) by apply: Rbar_le_trans (CV_radius_plus c e); apply: Rbar_min_case.
split=> //; split=> [|t T]; first by rewrite CV_radius_scal //; lra.
rewrite PSeries_scal PSeries_plus; [|by apply: CV_radius_inside; exact: radius_at T | by apply: CV_radius_inside; exact: radius_at T].
rewrite -Hc // -He //.
have W : (Y t + Z t) * exp (- g t) = (Y a + Z a) * exp (- g a).
  apply: (@flat_is_constant (fun s => (Y s + Z s) * exp (- g s)) a r) => // v V.
  have [HY HZ] := H v V.
  have N := is_derive_comp exp (fun t => - g t) v _ _ (d_exp _) (is_derive_opp g v _ (d_g v)).
  have := is_derive_mult _ _ v _ _ (is_derive_plus _ _ v _ _ HY HZ) N Rmult_comm; congr is_derive.
  by rewrite /plus /mult /scal /opp /= /mult /=; ring.
rewrite Ya Za in W; have P := exp_pos (- g t); apply: (Rmult_eq_reg_r (exp (- g t))); last lra.
have E0 u : exp u * exp (- u) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
by rewrite E0 Rmult_assoc W; have := E0 (g a); lra.
Qed.
Theorem analytic_sin_cos : analytic (fun t => sin (g t)) /\ analytic (fun t => cos (g t)).
Proof.
suff P a : exists r c e, series_at (fun t => sin (g t)) a r c /\ series_at (fun t => cos (g t)) a r e.
  by split=> a; have [r [c [e [Sc Se]]]] := P a; exists r; [exists c | exists e].
have [d [b B]] := G' a.
have s1 : Rabs (-1) <= 1 by rewrite Rabs_Ropp Rabs_R1; lra.
have [r [rd [Y [Z [c [e [[r0 [C Hc]] [[_ [E He]] [Ya [Za H]]]]]]]]]] := coefs_solve (fun t => sin (g t)) (fun t => cos (g t)) s1 B.
exists r, c, e; pose u t := Y t - sin (g t); pose v t := Z t - cos (g t).
have W t : Rabs (t - a) < r -> u t * u t + v t * v t = 0.
  move=> T; have -> : 0 = u a * u a + v a * v a by rewrite /u /v Ya Za; ring.
  apply: (@flat_is_constant (fun t => u t * u t + v t * v t) a r) => // w Hw.
  have [HY HZ] := H w Hw.
  have Du := is_derive_minus _ _ w _ _ HY (is_derive_comp sin g w _ _ (is_derive_sin _) (d_g w)).
  have Dv := is_derive_minus _ _ w _ _ HZ (is_derive_comp cos g w _ _ (is_derive_cos _) (d_g w)).
  have := is_derive_plus _ _ w _ _ (is_derive_mult _ _ w _ _ Du Du Rmult_comm) (is_derive_mult _ _ w _ _ Dv Dv Rmult_comm).
  by congr is_derive; rewrite /plus /minus /plus /mult /scal /opp /= /mult /=; rewrite /u /v; ring.
have U t : Rabs (t - a) < r -> sin (g t) = Y t /\ cos (g t) = Z t.
  move=> /W K; have [A A'] : u t = 0 /\ v t = 0 by split; nra.
  by rewrite /u /v in A A'; lra.
by split; split=> //; split=> // t T; have [A A'] := U t T; rewrite ?A ?A' ?Hc ?He.
Qed.
End Functions.

(** ** 1 / g, where g is never 0 *)
Section Inverse.
Variables (a d : R) (b : nat -> R).
Hypotheses (d0 : 0 < d) (D : inside d b) (b0 : b 0%nat <> 0).
Definition inverse : nat -> R := by_earlier (fun n f => match n with
  | 0%nat => / b 0%nat | S m => - / b 0%nat * sum_f_R0 (fun k => b (S k) * f (m - k)%coq_nat) m end) 0.
Lemma inverseE n : inverse n = match n with
  | 0%nat => / b 0%nat | S m => - / b 0%nat * sum_f_R0 (fun k => b (S k) * inverse (m - k)%coq_nat) m end.
Proof.
rewrite {1}/inverse by_earlierE // => {}n f g E; case: n E => // n E.
by congr (_ * _); apply: PartSum.sum_eq => k K; rewrite E //; lia.
Qed.
Lemma inverse_product n : PS_mult b inverse n = match n with 0%nat => 1 | _ => 0 end.
Proof.
case: n => [|n]; rewrite /PS_mult; first by rewrite /= inverseE; field.
rewrite decomp_sum /=; last lia.
by rewrite (inverseE (S n)); set s := sum_f_R0 _ n; field.
Qed.
Lemma halves n : sum_f_R0 (fun k => (/ 2) ^ k) n <= 2.
Proof.
suff -> : sum_f_R0 (fun k => (/ 2) ^ k) n = 2 - (/ 2) ^ n by have := pow_le (/ 2) n; lra.
by elim: n => [|n /= ->] /=; lra.
Qed.
Lemma inverse_bound : exists r, 0 < r <= d /\ exists L, forall n, Rabs (inverse n) * r ^ n <= L.
Proof.
have [e [He [M [M0 HM]]]] := bound_of_radius d0 D.
have B0 : 0 < Rabs (b 0%nat) by exact: Rabs_pos_lt.
pose x := Rmin (/ 2) (Rabs (b 0%nat) / (2 * (M + 1))).
have q0 : 0 < Rabs (b 0%nat) / (2 * (M + 1)) by apply: Rdiv_lt_0_compat; lra.
have x0 : 0 < x by apply: Rmin_pos; lra.
have x1 : x <= / 2 := Rmin_l _ _.
have x2 : 2 * M * x <= Rabs (b 0%nat).
  have A : x * (2 * (M + 1)) <= Rabs (b 0%nat) / (2 * (M + 1)) * (2 * (M + 1)).
    by apply: Rmult_le_compat_r; [lra | exact: Rmin_r].
  by move: A; rewrite /Rdiv Rmult_assoc Rinv_l; [nra | lra].
exists (e * x); split; first by split; nra.
exists (/ Rabs (b 0%nat)); set L := / _; have L0 : 0 < L by exact: Rinv_0_lt_compat.
have small k : Rabs (b (S k)) * (e * x) ^ S k <= M * x * (/ 2) ^ k.
  rewrite Rpow_mult_distr (_ : x ^ S k = x * x ^ k) //.
  have A : x ^ k <= (/ 2) ^ k by apply: pow_incr; lra.
  have P := pow_le x k (Rlt_le _ _ x0); have H := HM (S k).
  have Q : 0 <= Rabs (b (S k)) * e ^ S k by apply: Rmult_le_pos; [exact: Rabs_pos | apply: pow_le; lra].
  rewrite (_ : _ * _ = (Rabs (b (S k)) * e ^ S k) * (x * x ^ k)); last by ring.
  rewrite (Rmult_assoc M); apply: Rmult_le_compat => //; first by apply: Rmult_le_pos; lra.
  by apply: Rmult_le_compat_l; lra.
move=> n; elim/ltn_ind: n => -[|n] IH.
  by rewrite inverseE /= Rmult_1_r Rabs_Rinv //; rewrite /L; lra.
rewrite inverseE Rabs_mult Rabs_Ropp Rabs_Rinv // -/L.
set s := sum_f_R0 _ n.
suff Bs : Rabs s * (e * x) ^ S n <= Rabs (b 0%nat) * L.
  have : L * (Rabs s * (e * x) ^ S n) <= L * (Rabs (b 0%nat) * L) by apply: Rmult_le_compat_l; lra.
  have E : Rabs (b 0%nat) * L = 1 by rewrite /L Rinv_r //; lra.
  by rewrite E; lra.
have ex0 : 0 <= e * x by nra.
apply: (Rle_trans _ (sum_f_R0 (fun k => Rabs (b (S k) * inverse (n - k)%coq_nat)) n * (e * x) ^ S n)).
  by apply: Rmult_le_compat_r; [exact: pow_le | exact: Rsum_abs].
rewrite Rmult_comm scal_sum.
apply: (Rle_trans _ (sum_f_R0 (fun k => (/ 2) ^ k * (M * x * L)) n)).
  apply: sum_Rle => k K; rewrite (_ : (e * x) ^ S n = (e * x) ^ S k * (e * x) ^ (n - k)%coq_nat); last by rewrite -pow_add; congr (_ ^ _); lia.
  rewrite Rabs_mult (_ : _ * _ * _ = (Rabs (b (S k)) * (e * x) ^ S k) * (Rabs (inverse (n - k)%coq_nat) * (e * x) ^ (n - k)%coq_nat)); last by ring.
  rewrite (_ : _ * (M * x * L) = (M * x * (/ 2) ^ k) * L); last by ring.
  apply: Rmult_le_compat => //.
    by apply: Rmult_le_pos; [exact: Rabs_pos | exact: pow_le].
    by apply: Rmult_le_pos; [exact: Rabs_pos | exact: pow_le].
  by apply: IH; apply/ltP; lia.
rewrite -scal_sum; have H : sum_f_R0 (pow (/ 2)) n <= 2 := halves n; move: H; set h := sum_f_R0 _ n => H.
have P : 0 <= M * x * L by apply: Rmult_le_pos; nra.
have : M * x * L * h <= M * x * L * 2 by apply: Rmult_le_compat_l.
have : 2 * M * x * L <= Rabs (b 0%nat) * L by apply: Rmult_le_compat_r; lra.
by lra.
Qed.
End Inverse.
Theorem analytic_inv g : analytic g -> (forall t, g t <> 0) -> analytic (fun t => / g t).
Proof.
move=> G N a; have [d [b [d0 [D H]]]] := G a.
have b0 : b 0%nat <> 0 by have := N a; rewrite H ?Rminus_eq_0 ?Rabs_R0 // PSeries_0.
have [r [rd [L HL]]] := inverse_bound d0 D b0.
have C : inside r (inverse b) by apply: (@radius_of_bound _ _ L) => //; lra.
have B : inside r b by apply: Rbar_le_trans D; rewrite /=; lra.
exists r, (inverse b); split; [lra | split=> // t T].
have E : PSeries b (t - a) * PSeries (inverse b) (t - a) = 1.
  rewrite -PSeries_mult; [|exact: radius_at T | exact: radius_at T].
  rewrite PSeries_decr_1; last by apply: ex_pseries_mult; exact: radius_at T.
  rewrite inverse_product // (PSeries_ext _ (fun=> 0)) ?PSeries_const_0; first ring.
  by move=> n; rewrite /PS_decr_1 inverse_product.
by have T' : Rabs (t - a) < d by [lra]; rewrite H // in N *; apply: (Rmult_eq_reg_l (PSeries b (t - a))); rewrite ?E ?Rinv_r -?H //; exact: N.
Qed.

(** ** The functions of the certifier *)
Section More.
Variable g : R -> R.
Hypothesis G : analytic g.
Lemma analytic_differentiable t : is_derive g t (Derive g t).
Proof.
apply: Derive_correct; have [d [c S]] := G t; have [d0 _] := S.
by eexists; apply: series_derive S _; rewrite Rminus_eq_0 Rabs_R0.
Qed.
Let d_g := analytic_differentiable.
Lemma analytic_ln : (forall t, 0 < g t) -> analytic (fun t => ln (g t)).
Proof.
move=> P; apply: (analytic_of_derivative G d_g (phi' := Rinv)) => [t|]; first exact: d_ln (P t).
by apply: analytic_inv => // t; have := P t; lra.
Qed.
Lemma analytic_atan : analytic (fun t => atan (g t)).
Proof.
apply: (analytic_of_derivative G d_g (phi' := fun u => / (1 + u * u))) => [t|]; first exact: d_atan.
by apply: analytic_inv => [|t]; [exact: analytic_plus (analytic_const 1) (analytic_mult G G) | nra].
Qed.
End More.
Lemma analytic_logistic g : analytic g -> analytic (fun t => logistic (g t)).
Proof.
move=> G; have N : analytic (fun t => - g t) by apply: analytic_ext (analytic_mult (analytic_const (-1)) G) => t; ring.
apply: analytic_inv => [|t]; last by have := exp_pos (- g t); lra.
exact: analytic_plus (analytic_const 1) (analytic_exp N (analytic_differentiable N)).
Qed.
Lemma analytic_power g p : analytic g -> (forall t, 0 < g t) -> analytic (fun t => Rpower (g t) p).
Proof.
move=> G P; have L := analytic_mult (analytic_const p) (analytic_ln G P).
exact: analytic_exp L (analytic_differentiable L).
Qed.
Lemma analytic_asinh g : analytic g -> analytic (fun t => arcsinh (g t)).
Proof.
move=> G; have P t : 0 < 1 + g t * g t by nra.
apply: (analytic_of_derivative G (analytic_differentiable G) (phi' := fun u => / sqrt (1 + u * u))) => [t|].
  exact: d_asinh.
apply: analytic_inv => [|t]; last by have := sqrt_lt_R0 _ (P t); lra.
apply: analytic_ext (analytic_power (/ 2) (analytic_plus (analytic_const 1) (analytic_mult G G)) P) => t.
exact: Rpower_sqrt.
Qed.
Lemma analytic_erf g : analytic g -> analytic (fun t => erf (g t)).
Proof.
move=> G; apply: (analytic_of_derivative G (analytic_differentiable G)
  (phi' := fun u => 2 / sqrt PI * exp (- (u * u)))) => [t|]; first exact: d_erf.
have N : analytic (fun t => - (g t * g t)).
  by apply: analytic_ext (analytic_mult (analytic_const (-1)) (analytic_mult G G)) => t; ring.
exact: analytic_mult (analytic_const _) (analytic_exp N (analytic_differentiable N)).
Qed.

(** ** The class that the certifier recognises: functions of a tensor that are analytic everywhere *)
Section Entire.
Variable I : finType.
Inductive entire : (tensor I -> R) -> Prop :=
  | entire_entry i : entire (fun x => x i)
  | entire_number c : entire (fun=> c)
  | entire_sum (K : finType) (P : pred K) f : (forall k, entire (f k)) -> entire (fun x => \rsum_(k | P k) f k x)
  | entire_product (K : finType) (P : pred K) f : (forall k, entire (f k)) -> entire (fun x => \rprod_(k | P k) f k x)
  | entire_exp f : entire f -> entire (fun x => exp (f x))
  | entire_logistic f : entire f -> entire (fun x => logistic (f x))
  | entire_sin f : entire f -> entire (fun x => sin (f x))
  | entire_cos f : entire f -> entire (fun x => cos (f x))
  | entire_erf f : entire f -> entire (fun x => erf (f x))
  | entire_atan f : entire f -> entire (fun x => atan (f x))
  | entire_asinh f : entire f -> entire (fun x => arcsinh (f x))
  | entire_log f : entire f -> (forall x, 0 < f x) -> entire (fun x => ln (f x))
  | entire_power f p : entire f -> (forall x, 0 < f x) -> entire (fun x => Rpower (f x) p).

Definition analytic_in_entries (f : tensor I -> R) : Prop := forall x e, analytic (fun t => f (upd x e t)).
Theorem rule_kink_entire f : entire f -> analytic_in_entries f.
Proof.
elim=> {f} [i|c|K P f _ IH|K P f _ IH|f _ IH|f _ IH|f _ IH|f _ IH|f _ IH|f _ IH|f _ IH|f _ IH H|f p _ IH H] x e.
- rewrite /upd; case: (i == e); [exact: analytic_id | exact: analytic_const].
- exact: analytic_const.
- by apply: analytic_sum => k; exact: IH.
- by apply: analytic_prod => k; exact: IH.
- exact: analytic_exp (IH x e) (analytic_differentiable (IH x e)).
- exact: analytic_logistic (IH x e).
- exact: (analytic_sin_cos (IH x e) (analytic_differentiable (IH x e))).1.
- exact: (analytic_sin_cos (IH x e) (analytic_differentiable (IH x e))).2.
- exact: analytic_erf (IH x e).
- exact: analytic_atan (IH x e).
- exact: analytic_asinh (IH x e).
- by apply: analytic_ln (IH x e) _ => t; exact: H.
- by apply: analytic_power (IH x e) _ => t; exact: H.
Qed.
End Entire.
