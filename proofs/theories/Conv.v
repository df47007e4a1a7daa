(** Convolution with any stride, padding, dilations and groups; both of its backward passes are convolutions. *)
From Coq Require Export ZArith Lia.
From mathcomp Require Export div.
From Gradwright Require Export Contract.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---------- convolution: one spatial axis is the linear equation
     y * s + k * d = i * l + p   over Z                                ---------- *)
Local Open Scope Z_scope.
Record axis := Axis { stride : Z; rdil : Z; ldil : Z; plo : Z }.
Definition hit (x : axis) (y k i : nat) : bool :=
  Z.eqb (Z.of_nat y * stride x + Z.of_nat k * rdil x) (Z.of_nat i * ldil x + plo x).
(* the axis of the transposed convolution: kernel reversed *)
Definition axisT (K : nat) (x : axis) : axis :=
  Axis (ldil x) (rdil x) (stride x) ((Z.of_nat K - 1) * rdil x - plo x).
(* the axis of the weight-gradient convolution: window = cotangent *)
Definition axisW (x : axis) : axis := Axis (rdil x) (stride x) (ldil x) (plo x).
Lemma hitT K x y k i : (k < K)%N -> hit (axisT K x) i k y = hit x y (K - k.+1) i.
Proof.
move=> /ltP kK; rewrite /hit /axisT /=.
have -> : Z.of_nat (K - k.+1)%N = Z.of_nat K - 1 - Z.of_nat k by rewrite -minusE; lia.
by apply/idP/idP => /Z.eqb_spec H; apply/Z.eqb_spec; nia.
Qed.
Lemma hitW x y k i : hit (axisW x) k y i = hit x y k i.
Proof. by rewrite /hit /axisW /= Z.add_comm. Qed.
Local Close Scope Z_scope.

(* 2-D, batched, grouped.  Features of the input: G * Cg, of the output: G * Og *)
Section Conv.
Variables (N G Cg Og : finType) (Hi Wi Kh Kw Ho Wo : nat) (ah aw : axis).
Let X := [finType of N * (G * Cg) * ('I_Hi * 'I_Wi)].
Let W := [finType of (G * Cg) * Og * ('I_Kh * 'I_Kw)].
Let Y := [finType of N * (G * Og) * ('I_Ho * 'I_Wo)].
Let P := [finType of N * G * Cg * Og * ('I_Ho * 'I_Wo) * ('I_Kh * 'I_Kw) * ('I_Hi * 'I_Wi)].
Definition cN (p : P) := let: (n, g, c, o, y, k, i) := p in n.
Definition cgd (p : P) := let: (n, g, c, o, y, k, i) := p in
  hit ah y.1 k.1 i.1 && hit aw y.2 k.2 i.2.
Definition cY (p : P) : Y := let: (n, g, c, o, y, k, i) := p in (n, (g, o), y).
Definition cX (p : P) : X := let: (n, g, c, o, y, k, i) := p in (n, (g, c), i).
Definition cW (p : P) : W := let: (n, g, c, o, y, k, i) := p in (g, c, o, k).
Definition conv (x : tensor X) (w : tensor W) : tensor Y := contract cgd cY cX cW x w.
Theorem vjp_conv_x x w : has_vjp (fun x => conv x w) x (fun dy => contract cgd cX cW cY w dy).
Proof. exact: vjp_contract_l. Qed.
Theorem vjp_conv_w x w : has_vjp (fun w => conv x w) w (fun dy => contract cgd cW cX cY x dy).
Proof. exact: vjp_contract_r. Qed.
End Conv.

(* the emitted form: input gradient = convolution of dy with the reversed,
   in/out-swapped kernel, stride <-> lhs_dilation, pad' = (K-1) d - pad *)
Section ConvT.
Variables (N G Cg Og : finType) (Hi Wi Kh Kw Ho Wo : nat) (ah aw : axis).
Definition wrev (w : tensor [finType of (G * Cg) * Og * ('I_Kh * 'I_Kw)]) :
   tensor [finType of (G * Og) * Cg * ('I_Kh * 'I_Kw)] :=
  fun q => let: (g, o, c, k) := q in w (g, c, o, (rev_ord k.1, rev_ord k.2)).
Theorem conv_input_grad_is_conv w dy t :
  contract (@cgd N G Cg Og Hi Wi Kh Kw Ho Wo ah aw) (@cX _ _ _ _ _ _ _ _ _ _) (@cW _ _ _ _ _ _ _ _ _ _) (@cY _ _ _ _ _ _ _ _ _ _) w dy t
  = conv (Hi := Ho) (Wi := Wo) (Ho := Hi) (Wo := Wi) (axisT Kh ah) (axisT Kw aw) dy (wrev w) t.
Proof.
rewrite contractC /conv /contract.
rewrite (reindex (fun p : [finType of N * G * Og * Cg * ('I_Hi * 'I_Wi) * ('I_Kh * 'I_Kw) * ('I_Ho * 'I_Wo)] =>
  let: (n, g, o, c, i, k, y) := p in (n, g, c, o, y, (rev_ord k.1, rev_ord k.2), i))) /=; last first.
  apply: onW_bij; exists (fun p : [finType of N * G * Cg * Og * ('I_Ho * 'I_Wo) * ('I_Kh * 'I_Kw) * ('I_Hi * 'I_Wi)] =>
    let: (n, g, c, o, y, k, i) := p in (n, g, o, c, i, (rev_ord k.1, rev_ord k.2), y)).
    by move=> [[[[[[n g] o] c] i] [k1 k2]] y] /=; rewrite !rev_ordK.
  by move=> [[[[[[n g] c] o] y] [k1 k2]] i] /=; rewrite !rev_ordK.
apply: eq_big => [[[[[[[n g] o] c] i] [k1 k2]] y]|[[[[[[n g] o] c] i] [k1 k2]] y] _] //=.
by rewrite !hitT.
Qed.
End ConvT.

Lemma conv_explicit (N G Cg Og : finType) Hi Wi Kh Kw Ho Wo ah aw
   (x : tensor [finType of N * (G * Cg) * ('I_Hi * 'I_Wi)])
   (w : tensor [finType of (G * Cg) * Og * ('I_Kh * 'I_Kw)]) n g o (y : 'I_Ho * 'I_Wo) :
  conv ah aw x w (n, (g, o), y) =
  \rsum_(q : [finType of Cg * ('I_Kh * 'I_Kw) * ('I_Hi * 'I_Wi)]
         | hit ah y.1 q.1.2.1 q.2.1 && hit aw y.2 q.1.2.2 q.2.2)
    x (n, (g, q.1.1), q.2) * w (g, q.1.1, o, q.1.2).
Proof.
rewrite /conv /contract.
rewrite (reindex_onto (fun q : [finType of Cg * ('I_Kh * 'I_Kw) * ('I_Hi * 'I_Wi)] => (n, g, q.1.1, o, y, q.1.2, q.2))
  (fun p => let: (n, g, c, o, y, k, i) := p in (c, k, i))) /=.
  by apply: eq_big => [[[c k] i]|[[c k] i] _] //=; rewrite !eqxx !andbT.
by move=> [[[[[[n' g'] c] o'] y'] k] i] /andP [_ /eqP [-> -> -> ->]].
Qed.

(* weight gradient as emitted: x with batch and feature swapped, window = dy,
   stride <-> rhs_dilation, one group at a time (batch_group_count) *)
Theorem conv_weight_grad_is_conv (N G Cg Og : finType) Hi Wi Kh Kw Ho Wo ah aw
   (x : tensor [finType of N * (G * Cg) * ('I_Hi * 'I_Wi)])
   (dy : tensor [finType of N * (G * Og) * ('I_Ho * 'I_Wo)]) g c o k :
  contract (@cgd N G Cg Og Hi Wi Kh Kw Ho Wo ah aw) (@cW _ _ _ _ _ _ _ _ _ _) (@cX _ _ _ _ _ _ _ _ _ _) (@cY _ _ _ _ _ _ _ _ _ _) x dy (g, c, o, k)
  = conv (N := Cg) (G := unit_finType) (Cg := N) (Og := Og) (Kh := Ho) (Kw := Wo) (Ho := Kh) (Wo := Kw)
      (axisW ah) (axisW aw)
      (fun q => let: (c, (u, n), i) := q in x (n, (g, c), i))
      (fun q => let: (u, n, o, y) := q in dy (n, (g, o), y)) (c, (tt, o), k).
Proof.
rewrite conv_explicit /contract.
rewrite (reindex_onto (fun q : [finType of N * ('I_Ho * 'I_Wo) * ('I_Hi * 'I_Wi)] => (q.1.1, g, c, o, q.1.2, k, q.2))
  (fun p => let: (n, g, c, o, y, k, i) := p in (n, y, i))) /=.
  by apply: eq_big => [[[n y] i]|[[n y] i] _] //=; rewrite !eqxx !andbT !hitW.
by move=> [[[[[[n' g'] c'] o'] y'] k'] i] /andP [_ /eqP [-> -> -> ->]].
Qed.
