(** Straight-line programs of unary and binary operations, and the gradient that a local certificate proves. *)
From Gradwright Require Export Contract Adjoint.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section Module.
Variables (n : nat) (ix : nat -> finType).
Notation state := (state n ix).
Inductive instr (O : finType) : Type :=
 | In
 | Op1 (a : 'I_n) (F : tensor (ix a) -> tensor O) (B : tensor (ix a) -> tensor O -> tensor (ix a))
 | Op2 (a b : 'I_n) (F : tensor (ix a) -> tensor (ix b) -> tensor O)
       (BA : tensor (ix a) -> tensor (ix b) -> tensor O -> tensor (ix a)) (BB : tensor (ix a) -> tensor (ix b) -> tensor O -> tensor (ix b)).
Definition eval O (c : instr O) (s : tensor state) : tensor O := match c with
 | In => fun _ => 0
 | Op1 a F _ => F (get a s)
 | Op2 a b F _ _ => F (get a s) (get b s) end.
Definition back O (c : instr O) (s : tensor state) (dy : tensor O) : tensor state := match c with
 | In => fun _ => 0
 | Op1 a _ B => put (B (get a s) dy)
 | Op2 a b _ BA BB => fun k => put (BA (get a s) (get b s) dy) k + put (BB (get a s) (get b s) dy) k end.
Definition is_in O (c : instr O) := if c is In then true else false.
Definition scoped O (v : nat) (c : instr O) : bool := match c with
 | In => true | Op1 a _ _ => (a < v)%N | Op2 a b _ _ _ => (a < v)%N && (b < v)%N end.
Definition ok O (c : instr O) (s : tensor state) : Prop := match c with
 | In => True
 | Op1 a F B => has_vjp F (get a s) (B (get a s))
 | Op2 a b F BA BB => has_vjp2 F (get a s) (get b s) (BA (get a s) (get b s)) (BB (get a s) (get b s)) end.

Variable code : forall v : 'I_n, instr (ix v).
Hypothesis code_scoped : forall v : 'I_n, scoped v (@code v).
Definition rank (k : state) := nat_of_ord (tag k).
Definition inp (k : state) := is_in (code (tag k)).
Definition stp := step (fun v s => eval (@code v) s).
Definition run (th : tensor state) : tensor state := iter n (fun s k => if inp k then th k else stp s k) th.

Lemma get_ext (a : 'I_n) s s' : (forall i : ix a, s (at_ i) = s' (at_ i)) -> get a s = get a s'.
Proof. by move=> H; apply: functional_extensionality => i; exact: H. Qed.
Lemma stp_ssa s s' k : (forall u, (rank u < rank k)%N -> s u = s' u) -> stp s k = stp s' k.
Proof.
case: k => v i H; rewrite /stp /step /=; have := code_scoped v; case: (code v) => [|a F B|a b F BA BB] //= /=.
  by move=> av; rewrite (@get_ext a s s') // => j; exact: H.
by move=> /andP [av bv]; rewrite (@get_ext a s s') ?(@get_ext b s s') // => j; exact: H.
Qed.
Lemma run_eq th k : run th k = if inp k then th k else stp (run th) k.
Proof.
rewrite /run; pose h s k := if inp k then th k else stp s k; rewrite -/h.
have E m : forall k, (rank k < m)%N -> iter m h th k = h (iter m h th) k.
  elim: m => // m IH k'; rewrite ltnS => km; rewrite {1}iterS /h; case: ifP => // _.
  by apply: stp_ssa => u uk; rewrite iterS; apply: IH; exact: leq_trans uk km.
by apply: E; exact: ltn_ord.
Qed.
Theorem module_sound (th : tensor state) (L : state) (g : forall v : 'I_n, tensor (ix v)) :
  (forall v : 'I_n, ok (@code v) (run th)) ->
  (forall (v : 'I_n) i, g v i = delta (at_ i) L + \rsum_w back (@code w) (run th) (@g w) (at_ i)) ->
  is_grad (fun th => run th L) th (fun k => if inp k then g (tag k) (tagged k) else 0).
Proof.
move=> Hok Hg.
have HB (v : 'I_n) : has_vjp (fun s => eval (@code v) s) (run th) (back (@code v) (run th)).
  have := Hok v; case: (@code v) => [|a F B|a b F BA BB] /= H; first exact: vjp_const.
    by apply: vjp_comp (vjp_get _ _) H.
  by apply: H => //; exact: vjp_get.
apply: (adjoint_sound (rank := rank) (inp := inp) (F := stp) (V := run) stp_ssa run_eq (vjp_step HB) (g := fun k => g (tag k) (tagged k))).
move=> [v i] /=; rewrite [LHS]Hg; congr (_ + _); apply: eq_bigr => w _.
rewrite /get /inp /=; case E: (is_in (code w)); last by [].
by move: E; case: (code w).
Qed.
(* reading the forward text back *)
Lemma get_run th (v : 'I_n) : ~~ is_in (code v) -> get v (run th) = eval (code v) (run th).
Proof.
move=> H; apply: functional_extensionality => i; rewrite {1}/get run_eq /inp /= (negbTE H).
by [].
Qed.
Lemma get_run_in th (v : 'I_n) : is_in (code v) -> get v (run th) = get v th.
Proof. by move=> H; apply: functional_extensionality => i; rewrite {1}/get run_eq /inp /= H. Qed.

(* sparse form of the certificate equation *)
Definition reads O (c : instr O) (v : nat) : bool := match c with
 | In => false | Op1 a _ _ => nat_of_ord a == v | Op2 a b _ _ _ => (nat_of_ord a == v) || (nat_of_ord b == v) end.
Lemma back_unread O (c : instr O) s dy (v : 'I_n) (i : ix v) : ~~ reads c v -> back c s dy (at_ i) = 0.
Proof.
case: c => [|a F B|a b F BA BB] //=; first by move=> H; rewrite put_diff.
by rewrite negb_or => /andP [H1 H2]; rewrite !put_diff //; ring.
Qed.
Variable args : nat -> seq nat.
Hypothesis argsP : forall (w : 'I_n) u, reads (code w) u -> u \in args w.
Definition users_ok (v : nat) (us : seq nat) : bool :=
  uniq us && seq.all (fun w => (w \in us) || (v \notin args w)) (seq.iota 0%N n).
Lemma sum_users (s : tensor state) (g : forall w : 'I_n, tensor (ix w)) (v : 'I_n) (i : ix v) (us : seq 'I_n) :
  users_ok v (map val us) ->
  \rsum_w back (code w) s (g w) (at_ i) = \big[Rplus/0]_(w <- us) back (code w) s (g w) (at_ i).
Proof.
move=> /andP [U A]; rewrite (big_uniq _ (map_uniq U)) /= [RHS]big_mkcond /=; apply: eq_bigr => w _.
case: ifP => // wus; apply: back_unread; apply/negP => /argsP r.
have := allP A (val w); rewrite mem_iota /= add0n ltn_ord r orbF => /(_ isT).
by rewrite mem_map ?wus //; exact: val_inj.
Qed.
(* one parameter *)
Definition set (p : 'I_n) (th : tensor state) (z : tensor (ix p)) : tensor state :=
  fun k => match tag k =P p with ReflectT e => z (ecast q (ix q) e (tagged k)) | _ => th k end.
Lemma set_same p th z i : @set p th z (at_ i) = z i.
Proof. rewrite /set; case: eqP => [e|//]; by rewrite (eq_axiomK e). Qed.
Lemma set_diff p th z (v : 'I_n) (i : ix v) : v != p -> @set p th z (at_ i) = th (at_ i).
Proof. by rewrite /set /= => /eqP; case: eqP. Qed.
Theorem module_grad (p : 'I_n) (th : tensor state) (z : tensor (ix p)) (L : state) (g : forall v : 'I_n, tensor (ix v)) :
  is_in (code p) ->
  (forall v : 'I_n, ok (@code v) (run (set th z))) ->
  (forall (v : 'I_n) i, g v i = delta (at_ i) L + \rsum_w back (@code w) (run (set th z)) (@g w) (at_ i)) ->
  is_grad (fun z => run (set th z) L) z (g p).
Proof.
move=> pin Hok Hg; have H := module_sound Hok Hg.
have HS k : is_grad (fun z => set th z k) z (fun i => delta (at_ i) k).
  case: k => v j; case: (boolP (v == p)) => E; last first.
    apply: is_grad_ext (is_grad_eqg _ (is_grad_const (th (at_ j)) z)) => [y|i]; first by rewrite set_diff.
    by rewrite /delta; case: eqP => // /(congr1 (@tag _ _)) /= E'; rewrite E' eqxx in E.
  move: j; rewrite (eqP E) => j; apply: is_grad_ext (is_grad_eqg _ (is_grad_proj j z)) => [y|i]; first by rewrite set_same.
  by rewrite /delta; congr (if _ then _ else _); apply/eqP/eqP => [-> //|/at_inj].
apply: is_grad_eqg (is_grad_chain HS H) => i.
rewrite (eq_bigr (fun k => delta k (at_ i) * (if inp k then g (tag k) (tagged k) else 0))) => [|k _]; last by rewrite deltaC; ring.
by rewrite (sum_deltal (fun k => if inp k then g (tag k) (tagged k) else 0)) /inp /= pin.
Qed.
End Module.
