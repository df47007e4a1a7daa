(** Strided convolution as decimation of the stride-1 one: phases, symmetric and SAME padding, patchify. *)
From Gradwright Require Export Conv.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** decimation: keep the positions s*y + r *)
Lemma dec_lt s r h (y : 'I_h) : (r < s)%N -> (s * y + r < s * h)%N.
Proof. move=> rs; apply: (@leq_trans (s * y.+1)); first by rewrite mulnS addnC ltn_add2r.
by rewrite leq_mul2l ltn_ord orbT. Qed.
Definition dec s r h (rs : (r < s)%N) (y : 'I_h) : 'I_(s * h) := Ordinal (dec_lt y rs).
Lemma dec_inj s r h rs : injective (@dec s r h rs).
Proof. move=> a b /(congr1 val) /= /eqP; rewrite eqn_add2r eqn_mul2l => /orP [/eqP E|/eqP /val_inj //].
by move: rs; rewrite E. Qed.

Lemma hit_dec s r d l p y k i :
  hit (Axis (Z.of_nat s) d l p) y k i = hit (Axis 1 d l (p + Z.of_nat r)) (s * y + r)%N k i.
Proof.
rewrite /hit /= -plusE -multE; apply/idP/idP => /Z.eqb_spec E; apply/Z.eqb_spec; nia.
Qed.

Section Dec.
Variables (N C : finType).
Definition dec2 s1 r1 s2 r2 h w (H1 : (r1 < s1)%N) (H2 : (r2 < s2)%N)
   (y : tensor [finType of N * C * ('I_(s1 * h) * 'I_(s2 * w))]) : tensor [finType of N * C * ('I_h * 'I_w)] :=
  fun q => y (q.1, (dec H1 q.2.1, dec H2 q.2.2)).
Theorem vjp_dec2 s1 r1 s2 r2 h w (H1 : (r1 < s1)%N) (H2 : (r2 < s2)%N) y :
  has_vjp (@dec2 s1 r1 s2 r2 h w H1 H2) y
    (fun dy i => \rsum_(q : [finType of N * C * ('I_h * 'I_w)]
       | (q.1, (dec H1 q.2.1, dec H2 q.2.2)) == i) dy q).
Proof. exact: (vjp_reindex (fun q : [finType of N * C * ('I_h * 'I_w)] => (q.1, (dec H1 q.2.1, dec H2 q.2.2)))). Qed.
(** that fibre sum is zero-upsampling *)
Lemma dec2_back_on s1 r1 s2 r2 h w (H1 : (r1 < s1)%N) (H2 : (r2 < s2)%N) (dy : tensor [finType of N * C * ('I_h * 'I_w)]) q0 :
  \rsum_(q : [finType of N * C * ('I_h * 'I_w)]
       | (q.1, (dec H1 q.2.1, dec H2 q.2.2)) == (q0.1, (dec H1 q0.2.1, dec H2 q0.2.2))) dy q = dy q0.
Proof.
rewrite (bigD1 q0) //= big1 ?Rplus_0_r // => -[nc [a b]] /andP [/eqP []] /=.
move=> E E1 E2; case: q0 E E1 E2 => nc' [a' b'] /= -> E1 E2.
have -> : a = a' by apply: (@dec_inj _ _ _ H1); apply: val_inj; rewrite /= E1.
have -> : b = b' by apply: (@dec_inj _ _ _ H2); apply: val_inj; rewrite /= E2.
by rewrite eqxx.
Qed.
End Dec.

(** strided conv = decimation of stride-1 conv: any strides, any pads, any offset r < s *)
Theorem conv_strided_dec (N G Cg Og : finType) Hi Wi Kh Kw h w s1 s2 r1 r2 d1 d2 l1 l2 p1 p2
   (H1 : (r1 < s1)%N) (H2 : (r2 < s2)%N) (x : tensor [finType of N * (G * Cg) * ('I_Hi * 'I_Wi)])
   (k : tensor [finType of (G * Cg) * Og * ('I_Kh * 'I_Kw)]) q :
  conv (Ho := h) (Wo := w) (Axis (Z.of_nat s1) d1 l1 p1) (Axis (Z.of_nat s2) d2 l2 p2) x k q
  = dec2 H1 H2 (conv (Axis 1 d1 l1 (p1 + Z.of_nat r1)) (Axis 1 d2 l2 (p2 + Z.of_nat r2)) x k) q.
Proof.
case: q => [[n [g o]] y]; rewrite /dec2 !conv_explicit; apply: eq_bigl => -[[c kk] i] /=.
by rewrite (@hit_dec s1 r1) (@hit_dec s2 r2).
Qed.

(** XLA's SAME low pad *)
Local Open Scope Z_scope.
Definition same_lo (s n K : Z) : Z :=
  (Z.max (((n + s - 1) / s - 1) * s + K - n) 0) / 2.
Lemma same_lo1 n K : 1 <= K -> same_lo 1 n K = (K - 1) / 2.
Proof. by move=> HK; rewrite /same_lo Z.mul_1_r Z.div_1_r; f_equal; lia. Qed.
Lemma same_lo2 m K : 2 <= K -> same_lo 2 (2 * m) K = (K - 2) / 2.
Proof. move=> HK; rewrite /same_lo; have -> : 2 * m + 2 - 1 = 1 + m * 2 by lia.
by rewrite Z.div_add // (_ : 1 / 2 = 0) //; f_equal; lia. Qed.
(** odd kernel, even input: XLA SAME stride 2 = ODD decimation of SAME stride 1;
   symmetric pad (K-1)/2: EVEN decimation.  Even kernel: XLA SAME = EVEN decimation *)
Lemma same2_odd m j : 1 <= j -> same_lo 2 (2 * m) (2 * j + 1) + 1 = same_lo 1 (2 * m) (2 * j + 1).
Proof. move=> Hj; rewrite same_lo2 ?same_lo1; try lia.
have -> : 2 * j + 1 - 2 = 1 + (j - 1) * 2 by lia. rewrite Z.div_add //.
have -> : 2 * j + 1 - 1 = j * 2 by lia. rewrite Z.div_mul // (_ : 1 / 2 = 0) //; lia. Qed.
Lemma same2_even m j : 1 <= j -> same_lo 2 (2 * m) (2 * j) + 0 = same_lo 1 (2 * m) (2 * j).
Proof. move=> Hj; rewrite same_lo2 ?same_lo1; try lia.
have -> : 2 * j - 2 = (j - 1) * 2 by lia. rewrite Z.div_mul //.
have -> : 2 * j - 1 = 1 + (j - 1) * 2 by lia. rewrite Z.div_add // (_ : 1 / 2 = 0) //; lia. Qed.
Local Close Scope Z_scope.

Lemma r02 : (0 < 2)%N. Proof. by []. Qed.
Lemma r12 : (1 < 2)%N. Proof. by []. Qed.
Section Strided.
Variables (N G Cg Og : finType) (h w : nat).
Notation X := (tensor [finType of N * (G * Cg) * ('I_(2 * h) * 'I_(2 * w))]).
Theorem conv_s2_symmetric Kh Kw (x : X) (k : tensor [finType of (G * Cg) * Og * ('I_Kh * 'I_Kw)]) q p1 p2 :
  conv (Ho := h) (Wo := w) (Axis 2 1 1 p1) (Axis 2 1 1 p2) x k q
  = dec2 r02 r02 (conv (Axis 1 1 1 p1) (Axis 1 1 1 p2) x k) q.
Proof. by rewrite (conv_strided_dec _ _ _ _ _ _ r02 r02) !Z.add_0_r. Qed.
Theorem conv_s2_same_odd j1 j2 (x : X) (k : tensor [finType of (G * Cg) * Og * ('I_(2 * j1 + 1) * 'I_(2 * j2 + 1))]) q :
  (0 < j1)%N -> (0 < j2)%N ->
  let lo s n j := same_lo s (Z.of_nat n) (Z.of_nat (2 * j + 1)) in
  conv (Ho := h) (Wo := w) (Axis 2 1 1 (lo 2%Z (2 * h)%N j1)) (Axis 2 1 1 (lo 2%Z (2 * w)%N j2)) x k q
  = dec2 r12 r12 (conv (Axis 1 1 1 (lo 1%Z (2 * h)%N j1)) (Axis 1 1 1 (lo 1%Z (2 * w)%N j2)) x k) q.
Proof.
move=> /ltP J1 /ltP J2 /=; rewrite (conv_strided_dec _ _ _ _ _ _ r12 r12).
have E a j : (0 < j)%coq_nat -> (same_lo 2 (Z.of_nat (2 * a)) (Z.of_nat (2 * j + 1)) + Z.of_nat 1)%Z
   = same_lo 1 (Z.of_nat (2 * a)) (Z.of_nat (2 * j + 1)).
  have Em b : Z.of_nat (2 * b)%N = (2 * Z.of_nat b)%Z by rewrite -multE; lia.
  have Ep b : Z.of_nat (b + 1)%N = (Z.of_nat b + 1)%Z by rewrite -plusE; lia.
  by move=> Hj; rewrite Ep !Em; apply: same2_odd; lia.
by rewrite !E.
Qed.
End Strided.

(** stride-4 patchify: even dec o odd dec o stride-1 SAME (K = 4, low pad 1) = stride 4, pad 0 *)
Theorem conv_s4_patchify (N G Cg Og : finType) h w
   (x : tensor [finType of N * (G * Cg) * ('I_(2 * (2 * h)) * 'I_(2 * (2 * w)))])
   (k : tensor [finType of (G * Cg) * Og * ('I_4 * 'I_4)]) q :
  conv (Ho := h) (Wo := w) (Axis 4 1 1 0) (Axis 4 1 1 0) x k q
  = dec2 r02 r02 (dec2 r12 r12 (conv (Axis 1 1 1 1) (Axis 1 1 1 1) x k)) q.
Proof.
case: q => [[n [g o]] y]; rewrite /dec2 !conv_explicit; apply: eq_bigl => -[[c kk] i] /=.
have E a b e : hit (Axis 4 1 1 0) a b e = hit (Axis 1 1 1 1) (2 * (2 * a + 0) + 1)%N b e.
  by rewrite /hit /= -!plusE -!multE; apply/idP/idP => /Z.eqb_spec ?; apply/Z.eqb_spec; nia.
by rewrite !E.
Qed.
