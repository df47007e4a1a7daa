(** The backward passes of strided convolutions, by name: any stride and phase, symmetric, SAME, patchify. *)
From Gradwright Require Export Strided.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** Decimation and its transpose, zero-upsampling *)
Section Upsampling.
Variables (N C : finType) (s1 r1 s2 r2 h w : nat) (H1 : (r1 < s1)%N) (H2 : (r2 < s2)%N).
Notation small := (tensor [finType of N * C * ('I_h * 'I_w)]).
Notation large := (tensor [finType of N * C * ('I_(s1 * h) * 'I_(s2 * w))]).
(** dy at the positions s i + r, 0 elsewhere. *)
Definition upsample (dy : small) : large :=
  fun i => \rsum_(q : [finType of N * C * ('I_h * 'I_w)] | (q.1, (dec H1 q.2.1, dec H2 q.2.2)) == i) dy q.
Theorem decimation_vjp (y : large) : has_vjp (dec2 H1 H2 (N := N) (C := C) (h := h) (w := w)) y upsample.
Proof. exact: vjp_dec2. Qed.
Theorem upsample_on (dy : small) q : upsample dy (q.1, (dec H1 q.2.1, dec H2 q.2.2)) = dy q.
Proof. exact: dec2_back_on. Qed.
Theorem upsample_off (dy : small) i : (forall q, (q.1, (dec H1 q.2.1, dec H2 q.2.2)) != i) -> upsample dy i = 0.
Proof. by move=> H; rewrite /upsample big1 // => q /eqP E; have := H q; rewrite E eqxx. Qed.
End Upsampling.

Section Strides.
Variables (N G Cg Og : finType) (Hi Wi Kh Kw : nat).
Notation X := (tensor [finType of N * (G * Cg) * ('I_Hi * 'I_Wi)]).
Notation W := (tensor [finType of (G * Cg) * Og * ('I_Kh * 'I_Kw)]).
Notation Y h w := (tensor [finType of N * (G * Og) * ('I_h * 'I_w)]).

(** The cotangents of x and of the kernel, for any axes (stride, dilations, low padding). *)
Definition input_back Ho Wo ah aw (k : W) : Y Ho Wo -> X :=
  contract (@cgd N G Cg Og Hi Wi Kh Kw Ho Wo ah aw) (@cX _ _ _ _ _ _ _ _ _ _) (@cW _ _ _ _ _ _ _ _ _ _) (@cY _ _ _ _ _ _ _ _ _ _) k.
Definition weight_back Ho Wo ah aw (x : X) : Y Ho Wo -> W :=
  contract (@cgd N G Cg Og Hi Wi Kh Kw Ho Wo ah aw) (@cW _ _ _ _ _ _ _ _ _ _) (@cX _ _ _ _ _ _ _ _ _ _) (@cY _ _ _ _ _ _ _ _ _ _) x.
Theorem convolution_input_vjp Ho Wo ah aw (x : X) (k : W) :
  has_vjp (fun x => conv (Ho := Ho) (Wo := Wo) ah aw x k) x (input_back ah aw k).
Proof. exact: vjp_conv_x. Qed.
Theorem convolution_weight_vjp Ho Wo ah aw (x : X) (k : W) :
  has_vjp (fun k => conv (Ho := Ho) (Wo := Wo) ah aw x k) k (weight_back ah aw x).
Proof. exact: vjp_conv_w. Qed.
(** Both are convolutions: of dy with the kernel reversed, stride and dilation of the input changing
    places; and, group by group, of x with dy as the window. *)
Theorem convolution_input_backward_vjp Ho Wo ah aw (x : X) (k : W) :
  has_vjp (fun x => conv (Ho := Ho) (Wo := Wo) ah aw x k) x
    (fun dy => conv (axisT Kh ah) (axisT Kw aw) dy (wrev k)).
Proof. by apply: has_vjp_ext (convolution_input_vjp _ _ ah aw x k) => // dy i; exact: conv_input_grad_is_conv. Qed.
Theorem convolution_weight_backward_vjp Ho Wo ah aw (x : X) (k : W) :
  has_vjp (fun k => conv (Ho := Ho) (Wo := Wo) ah aw x k) k (fun dy q => let: (g, c, o, t) := q in
    conv (N := Cg) (G := unit_finType) (Cg := N) (Og := Og) (axisW ah) (axisW aw)
      (fun q => let: (c, (u, n), i) := q in x (n, (g, c), i))
      (fun q => let: (u, n, o, y) := q in dy (n, (g, o), y)) (c, (tt, o), t)).
Proof.
apply: has_vjp_ext (convolution_weight_vjp _ _ ah aw x k) => // dy [[[g c] o] t].
exact: conv_weight_grad_is_conv.
Qed.
(** The cotangent of the bias sums over pictures and positions, whatever the axes are. *)
Theorem convolution_bias_vjp Ho Wo ah aw (x : X) (k : W) (b : tensor [finType of G * Og]) :
  has_vjp (fun b q => conv (Ho := Ho) (Wo := Wo) ah aw x k q + b q.1.2) b
    (fun dy o => \rsum_(q : [finType of N * (G * Og) * ('I_Ho * 'I_Wo)] | q.1.2 == o) dy q).
Proof.
apply: has_vjp_ext (vjp_fanin (vjp_const (conv ah aw x k) b)
  (vjp_reindex (fun q : [finType of N * (G * Og) * ('I_Ho * 'I_Wo)] => q.1.2) b)) => // dy o; ring.
Qed.

(** A stride s at phase r: upsample the cotangent, then the backward of the stride-1 convolution. *)
Section Phase.
Variables (s1 s2 r1 r2 h w : nat) (H1 : (r1 < s1)%N) (H2 : (r2 < s2)%N) (d1 d2 l1 l2 p1 p2 : Z).
Notation strided := (conv (Ho := h) (Wo := w) (Axis (Z.of_nat s1) d1 l1 p1) (Axis (Z.of_nat s2) d2 l2 p2)).
Notation a1 := (Axis 1 d1 l1 (p1 + Z.of_nat r1)).
Notation a2 := (Axis 1 d2 l2 (p2 + Z.of_nat r2)).
Theorem strided_input_vjp (x : X) (k : W) :
  has_vjp (fun x => strided x k) x (fun dy => input_back a1 a2 k (upsample H1 H2 dy)).
Proof.
have V := vjp_comp (convolution_input_vjp (s1 * h) (s2 * w) a1 a2 x k) (decimation_vjp H1 H2 _).
by apply: has_vjp_ext V => // y q; rewrite (conv_strided_dec _ _ _ _ _ _ H1 H2).
Qed.
Theorem strided_weight_vjp (x : X) (k : W) :
  has_vjp (fun k => strided x k) k (fun dy => weight_back a1 a2 x (upsample H1 H2 dy)).
Proof.
have V := vjp_comp (convolution_weight_vjp (s1 * h) (s2 * w) a1 a2 x k) (decimation_vjp H1 H2 _).
by apply: has_vjp_ext V => // y q; rewrite (conv_strided_dec _ _ _ _ _ _ H1 H2).
Qed.
End Phase.
End Strides.

(** ** Stride 2: the symmetric one keeps even positions, SAME odd ones (odd kernel, even extent) *)
Section Stride2.
Variables (N G Cg Og : finType) (h w j1 j2 : nat).
Notation X := (tensor [finType of N * (G * Cg) * ('I_(2 * h) * 'I_(2 * w))]).
Notation W := (tensor [finType of (G * Cg) * Og * ('I_(2 * j1 + 1) * 'I_(2 * j2 + 1))]).
Notation axis_at s p := (Axis s 1 1 p).
Notation lo s n j := (same_lo s (Z.of_nat n) (Z.of_nat (2 * j + 1))).
Notation symmetric := (conv (Ho := h) (Wo := w) (axis_at 2 (Z.of_nat j1)) (axis_at 2 (Z.of_nat j2))).
Notation same := (conv (Ho := h) (Wo := w) (axis_at 2 (lo 2%Z (2 * h)%N j1)) (axis_at 2 (lo 2%Z (2 * w)%N j2))).

Theorem stride2_symmetric_input_vjp (x : X) (k : W) : has_vjp (fun x => symmetric x k) x (fun dy =>
  input_back (axis_at 1 (Z.of_nat j1 + 0)) (axis_at 1 (Z.of_nat j2 + 0)) k (upsample r02 r02 dy)).
Proof. exact: (strided_input_vjp h w r02 r02 1 1 1 1 (Z.of_nat j1) (Z.of_nat j2) x k). Qed.
Theorem stride2_symmetric_weight_vjp (x : X) (k : W) : has_vjp (fun k => symmetric x k) k (fun dy =>
  weight_back (axis_at 1 (Z.of_nat j1 + 0)) (axis_at 1 (Z.of_nat j2 + 0)) x (upsample r02 r02 dy)).
Proof. exact: (strided_weight_vjp h w r02 r02 1 1 1 1 (Z.of_nat j1) (Z.of_nat j2) x k). Qed.
Theorem stride2_symmetric_bias_vjp (x : X) (k : W) b : has_vjp (fun b q => symmetric x k q + b q.1.2) b
  (fun dy o => \rsum_(q : [finType of N * (G * Og) * ('I_h * 'I_w)] | q.1.2 == o) dy q).
Proof. exact: convolution_bias_vjp. Qed.

Theorem stride2_same_input_vjp (x : X) (k : W) : has_vjp (fun x => same x k) x (fun dy =>
  input_back (axis_at 1 (lo 2%Z (2 * h)%N j1 + 1)) (axis_at 1 (lo 2%Z (2 * w)%N j2 + 1)) k (upsample r12 r12 dy)).
Proof. exact: (strided_input_vjp h w r12 r12 1 1 1 1 _ _ x k). Qed.
Theorem stride2_same_weight_vjp (x : X) (k : W) : has_vjp (fun k => same x k) k (fun dy =>
  weight_back (axis_at 1 (lo 2%Z (2 * h)%N j1 + 1)) (axis_at 1 (lo 2%Z (2 * w)%N j2 + 1)) x (upsample r12 r12 dy)).
Proof. exact: (strided_weight_vjp h w r12 r12 1 1 1 1 _ _ x k). Qed.
Theorem stride2_same_bias_vjp (x : X) (k : W) b : has_vjp (fun b q => same x k q + b q.1.2) b
  (fun dy o => \rsum_(q : [finType of N * (G * Og) * ('I_h * 'I_w)] | q.1.2 == o) dy q).
Proof. exact: convolution_bias_vjp. Qed.
End Stride2.

(** Of even kernels SAME keeps the even positions. *)
Theorem conv_s2_same_even (N G Cg Og : finType) h w j1 j2
   (x : tensor [finType of N * (G * Cg) * ('I_(2 * h) * 'I_(2 * w))])
   (k : tensor [finType of (G * Cg) * Og * ('I_(2 * j1) * 'I_(2 * j2))]) q : (0 < j1)%N -> (0 < j2)%N ->
  let lo s n j := same_lo s (Z.of_nat n) (Z.of_nat (2 * j)) in
  conv (Ho := h) (Wo := w) (Axis 2 1 1 (lo 2%Z (2 * h)%N j1)) (Axis 2 1 1 (lo 2%Z (2 * w)%N j2)) x k q
  = dec2 r02 r02 (conv (Axis 1 1 1 (lo 1%Z (2 * h)%N j1)) (Axis 1 1 1 (lo 1%Z (2 * w)%N j2)) x k) q.
Proof.
move=> /ltP J1 /ltP J2 /=; rewrite (conv_strided_dec _ _ _ _ _ _ r02 r02).
have E a j : (0 < j)%coq_nat -> (same_lo 2 (Z.of_nat (2 * a)) (Z.of_nat (2 * j)) + Z.of_nat 0)%Z
   = same_lo 1 (Z.of_nat (2 * a)) (Z.of_nat (2 * j)).
  have Em b : Z.of_nat (2 * b)%N = (2 * Z.of_nat b)%Z by rewrite -multE; lia.
  by move=> Hj; rewrite !Em; apply: same2_even; lia.
by rewrite !E.
Qed.

Section Same_even.
Variables (N G Cg Og : finType) (h w j1 j2 : nat).
Notation X := (tensor [finType of N * (G * Cg) * ('I_(2 * h) * 'I_(2 * w))]).
Notation W := (tensor [finType of (G * Cg) * Og * ('I_(2 * j1) * 'I_(2 * j2))]).
Notation axis_at s p := (Axis s 1 1 p).
Notation lo s n j := (same_lo s (Z.of_nat n) (Z.of_nat (2 * j))).
Notation same := (conv (Ho := h) (Wo := w) (axis_at 2 (lo 2%Z (2 * h)%N j1)) (axis_at 2 (lo 2%Z (2 * w)%N j2))).
Theorem stride2_same_even_input_vjp (x : X) (k : W) : has_vjp (fun x => same x k) x (fun dy =>
  input_back (axis_at 1 (lo 2%Z (2 * h)%N j1 + 0)) (axis_at 1 (lo 2%Z (2 * w)%N j2 + 0)) k (upsample r02 r02 dy)).
Proof. exact: (strided_input_vjp h w r02 r02 1 1 1 1 _ _ x k). Qed.
Theorem stride2_same_even_weight_vjp (x : X) (k : W) : has_vjp (fun k => same x k) k (fun dy =>
  weight_back (axis_at 1 (lo 2%Z (2 * h)%N j1 + 0)) (axis_at 1 (lo 2%Z (2 * w)%N j2 + 0)) x (upsample r02 r02 dy)).
Proof. exact: (strided_weight_vjp h w r02 r02 1 1 1 1 _ _ x k). Qed.
Theorem stride2_same_even_bias_vjp (x : X) (k : W) b : has_vjp (fun b q => same x k q + b q.1.2) b
  (fun dy o => \rsum_(q : [finType of N * (G * Og) * ('I_h * 'I_w)] | q.1.2 == o) dy q).
Proof. exact: convolution_bias_vjp. Qed.
End Same_even.

(** ** Stride 4, the patchify of a 4 x 4 kernel without padding *)
Section Patchify.
Variables (N G Cg Og : finType) (h w : nat).
Notation X := (tensor [finType of N * (G * Cg) * ('I_(2 * (2 * h)) * 'I_(2 * (2 * w)))]).
Notation W := (tensor [finType of (G * Cg) * Og * ('I_4 * 'I_4)]).
Notation patchify := (conv (Ho := h) (Wo := w) (Axis 4 1 1 0) (Axis 4 1 1 0)).
Theorem stride4_input_vjp (x : X) (k : W) : has_vjp (fun x => patchify x k) x (fun dy =>
  input_back (Axis 1 1 1 1) (Axis 1 1 1 1) k (upsample r12 r12 (upsample r02 r02 dy))).
Proof.
have V := vjp_comp (vjp_comp (convolution_input_vjp (2 * (2 * h)) (2 * (2 * w)) (Axis 1 1 1 1) (Axis 1 1 1 1) x k)
  (decimation_vjp r12 r12 _)) (decimation_vjp r02 r02 _).
by apply: has_vjp_ext V => // y q; rewrite conv_s4_patchify.
Qed.
Theorem stride4_weight_vjp (x : X) (k : W) : has_vjp (fun k => patchify x k) k (fun dy =>
  weight_back (Axis 1 1 1 1) (Axis 1 1 1 1) x (upsample r12 r12 (upsample r02 r02 dy))).
Proof.
have V := vjp_comp (vjp_comp (convolution_weight_vjp (2 * (2 * h)) (2 * (2 * w)) (Axis 1 1 1 1) (Axis 1 1 1 1) x k)
  (decimation_vjp r12 r12 _)) (decimation_vjp r02 r02 _).
by apply: has_vjp_ext V => // y q; rewrite conv_s4_patchify.
Qed.
Theorem stride4_bias_vjp (x : X) (k : W) b : has_vjp (fun b q => patchify x k q + b q.1.2) b
  (fun dy o => \rsum_(q : [finType of N * (G * Og) * ('I_h * 'I_w)] | q.1.2 == o) dy q).
Proof. exact: convolution_bias_vjp. Qed.
End Patchify.

(** ** Where SAME pads how *)
Section Padding.
Local Open Scope Z_scope.
(** At odd extents SAME is symmetric; a kernel of 1 is not padded. *)
Theorem same2_odd_extent m j : 0 <= m -> 0 <= j -> same_lo 2 (2 * m + 1) (2 * j + 1) = j.
Proof.
move=> Hm Hj; rewrite /same_lo; have -> : 2 * m + 1 + 2 - 1 = (m + 1) * 2 by lia.
rewrite Z.div_mul // Z.max_l; last by lia.
have -> : (m + 1 - 1) * 2 + (2 * j + 1) - (2 * m + 1) = j * 2 by lia.
by rewrite Z.div_mul.
Qed.
Theorem same2_kernel_1 m : 1 <= m -> same_lo 2 (2 * m) 1 = 0.
Proof.
move=> Hm; rewrite /same_lo; have -> : 2 * m + 2 - 1 = 1 + m * 2 by lia.
by rewrite Z.div_add // (_ : 1 / 2 = 0) // Z.max_r //; lia.
Qed.
End Padding.

(** ** Trap: a symmetric backward behind a SAME forward
    It is right exactly where the low paddings agree, for the input as for the kernel, at any stride
    and dilation of the kernel: one entry of each is enough to see it. *)
Section Paddings.
Variables (N G Cg Og : finType) (n : N) (g : G) (c : Cg) (o : Og) (Hi Wi Ho Wo j1 j2 : nat) (s1 s2 d1 d2 q1 q2 : Z).
Notation X := (tensor [finType of N * (G * Cg) * ('I_Hi.+1 * 'I_Wi.+1)]).
Notation W := (tensor [finType of (G * Cg) * Og * ('I_(2 * j1).+1 * 'I_(2 * j2).+1)]).
Notation half j d := (Z.of_nat j * d)%Z.
Notation forward := (conv (N := N) (G := G) (Cg := Cg) (Og := Og) (Ho := Ho.+1) (Wo := Wo.+1) (Axis s1 d1 1 q1) (Axis s2 d2 1 q2)).
Notation symmetric_input := (input_back (N := N) (Hi := Hi.+1) (Wi := Wi.+1) (Ho := Ho.+1) (Wo := Wo.+1)
  (Axis s1 d1 1 (half j1 d1)) (Axis s2 d2 1 (half j2 d2))).
Notation symmetric_weight := (weight_back (Kh := (2 * j1).+1) (Kw := (2 * j2).+1) (Ho := Ho.+1) (Wo := Wo.+1)
  (Axis s1 d1 1 (half j1 d1)) (Axis s2 d2 1 (half j2 d2))).
Lemma middle_lt j : (j < (2 * j).+1)%N. Proof. by rewrite ltnS leq_pmull. Qed.
Let p0 : [finType of N * G * Cg * Og * ('I_Ho.+1 * 'I_Wo.+1) * ('I_(2 * j1).+1 * 'I_(2 * j2).+1) * ('I_Hi.+1 * 'I_Wi.+1)] :=
  (n, g, c, o, (ord0, ord0), (Ordinal (middle_lt j1), Ordinal (middle_lt j2)), (ord0, ord0)).
Lemma hit_middle s d q j : hit (Axis s d 1 q) 0 j 0 = Z.eqb (half j d) q.
Proof. by []. Qed.
Lemma middle_told : (if cgd (Axis s1 d1 1 q1) (Axis s2 d2 1 q2) p0 then 1 else 0) =
  (if cgd (Axis s1 d1 1 (half j1 d1)) (Axis s2 d2 1 (half j2 d2)) p0 then 1 else 0) ->
  q1 = half j1 d1 /\ q2 = half j2 d2.
Proof.
rewrite /cgd /p0 /= !hit_middle !Z.eqb_refl /=.
by case: Z.eqb_spec => [<-|_]; case: Z.eqb_spec => [<-|_] //= E; exfalso; lra.
Qed.
Theorem symmetric_input_backward : (forall (x : X) (k : W), has_vjp (fun x => forward x k) x (symmetric_input k)) <->
  q1 = half j1 d1 /\ q2 = half j2 d2.
Proof.
split=> [H|[-> ->] x k]; last exact: convolution_input_vjp.
apply: middle_told; pose k : W := delta (cW p0).
have := has_vjp_unique (H (fun=> 0) k) (convolution_input_vjp _ _ _ _ (fun=> 0) k) (delta (cY p0)) (cX p0).
rewrite /input_back /k !contract_one_hot; first by move=> ->.
  by move=> [[[[[[n' g'] c'] o'] y'] k'] i'] [-> -> -> ->] [-> ->] [->].
by move=> [[[[[[n' g'] c'] o'] y'] k'] i'] [-> -> -> ->] [-> ->] [->].
Qed.
Theorem symmetric_weight_backward : (forall (x : X) (k : W), has_vjp (fun k => forward x k) k (symmetric_weight x)) <->
  q1 = half j1 d1 /\ q2 = half j2 d2.
Proof.
split=> [H|[-> ->] x k]; last exact: convolution_weight_vjp.
apply: middle_told; pose x : X := delta (cX p0).
have := has_vjp_unique (H x (fun=> 0)) (convolution_weight_vjp _ _ _ _ x (fun=> 0)) (delta (cY p0)) (cW p0).
rewrite /weight_back /x !contract_one_hot; first by move=> ->.
  by move=> [[[[[[n' g'] c'] o'] y'] k'] i'] [-> -> -> ->] [-> ->] [->].
by move=> [[[[[[n' g'] c'] o'] y'] k'] i'] [-> -> -> ->] [-> ->] [->].
Qed.
End Paddings.
(** At stride 2 with a kernel of 3 and an extent of 2, SAME pads 0 below where the symmetric
    convention pads 1: the smallest extent at which the two differ (at 1 they agree). *)
Theorem trap_same_padding : same_lo 2 2 3 = 0%Z /\ same_lo 2 1 3 = 1%Z.
Proof. by []. Qed.
Section Smallest.
Notation U := unit_finType.
Notation W := (tensor [finType of (U * U) * U * ('I_1 * 'I_3)]).
Notation X := (tensor [finType of U * (U * U) * ('I_1 * 'I_2)]).
Notation forward := (conv (N := U) (G := U) (Cg := U) (Og := U) (Ho := 1) (Wo := 1) (Axis 1 1 1 0)
  (Axis 2 1 1 (same_lo 2 2 3))).
Theorem trap_symmetric_backward_of_same :
  ~ (forall (x : X) (k : W), has_vjp (fun x => forward x k) x (input_back (Axis 1 1 1 0) (Axis 2 1 1 1) k)) /\
  ~ (forall (x : X) (k : W), has_vjp (fun k => forward x k) k (weight_back (Axis 1 1 1 0) (Axis 2 1 1 1) x)).
Proof.
split=> H.
  by have [_] := (symmetric_input_backward tt tt tt tt 0 1 0 0 0 1 1 2 1 1 0 (same_lo 2 2 3)).1 H.
by have [_] := (symmetric_weight_backward tt tt tt tt 0 1 0 0 0 1 1 2 1 1 0 (same_lo 2 2 3)).1 H.
Qed.
End Smallest.
