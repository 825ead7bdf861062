----------------------------- MODULE ViewChange -----------------------------
(***************************************************************************)
(* tutti: membership and view change (flush), partitionable mode.          *)
(*                                                                         *)
(* A node here is one incarnation of a process: a restart is a new node    *)
(* (constant Later) whose predecessor (constant Pred) has crashed.         *)
(* Everybody starts in a view (a joiner in a view of its own): join, leave,*)
(* crash and merge are one ballot whose proposal lists PARTS, the members  *)
(* that come from one previous view, each with its own cut.                *)
(*                                                                         *)
(* A node is a deterministic machine: every protocol operator below maps   *)
(* (state record, input) to [s |-> state record, o |-> messages to send].  *)
(*                                                                         *)
(* Links are FIFO sessions.  Close(p,q) is every link fault at once: false *)
(* suspicion, broken connection, one side of a partition.  What q had in   *)
(* flight to p is lost, what p had in flight to q may still arrive until q *)
(* closes too; nothing new passes; only when both have closed may a new,   *)
(* empty session start (Reconnect).                                        *)
(***************************************************************************)
EXTENDS Knowledge

VARIABLES st, chan, nclose, ncrash, nstray, bad
vars == <<st, chan, nclose, ncrash, nstray, bad>>

-----------------------------------------------------------------------------
(* A node *)
RECURSIVE Advance(_), TryInstall(_)

Join(r, o) == Ret(r.s, o \o r.o)

MyAck(s) == [v |-> V(s), r |-> V(s).vec]

Installed(s, w) ==
  LET vec == [x \in Node |-> IF x \in w.mem THEN Contig(s, w.id, x) ELSE 0]
      s1  == InstalledAdverts(V(s),
               [s EXCEPT !.hist = Append(@, [id |-> w.id, mem |-> w.mem, parts |-> w.parts, vec |-> vec,
                                             ages |-> w.ages]),
                         !.tgt  = None,
                         !.held = {h \in @ : h[1] > w.id}], w)
  IN IF s.prom = w.id
     THEN Ret([s1 EXCEPT !.bal = 0, !.cand = {}, !.acks = <<>>], <<>>)
     ELSE \* completed an older proposal under a newer ballot: answer that again
       IF s1.bal = s1.prom
       THEN Advance([s1 EXCEPT !.acks[s1.me] = MyAck(s1)])
       ELSE Ret(AnsweringAdverts(s1, s1.prom),
                << Msg(Prop(s1.prom), [t |-> "ack", b |-> s1.prom, a |-> MyAck(s1)]) >>)

TryInstall(s) ==
  IF s.tgt = None THEN Ret(s, <<>>)
  ELSE LET cut  == MyPart(s, s.tgt).cut
           vec  == V(s).vec
           need == IF Bug = "dropdeparted" THEN s.tgt.mem ELSE Node
       IN IF Bug = "skipfetch" \/ \A x \in need : vec[x] >= cut[x]
          THEN Installed(s, s.tgt) ELSE Ret(s, <<>>)

HandleCut(s, b, w, h) ==
  IF (s.prom # b /\ Bug # "nopromise") \/ ~HasPart(s, w) THEN Ret(s, <<>>)
  ELSE LET s1  == [s EXCEPT !.tgt = w]
           cut == MyPart(s, w).cut
           hs  == {h[x] : x \in {y \in Node : V(s).vec[y] < cut[y]}}
           r   == TryInstall(s1)
       IN IF r.s.tgt = None THEN r
          ELSE Join(r, SeqOf({Msg(q, [t |-> "fetch", vid |-> V(s).id]) : q \in hs}))

\* A session that is down when a promise is made stays on the list.
LostAfter(s) == IF Bug = "clearlost" THEN {} ELSE IF Bug = "keeplost" THEN s.lost ELSE s.susp

\* A promise of its own, and PREPARE to the others.
Restarted(s, b, C) ==
  LET s1 == [s EXCEPT !.prom = b, !.tgt = None, !.lost = LostAfter(s), !.bal = b, !.cand = C,
                      !.acks = [q \in C |-> IF q = s.me THEN MyAck(s) ELSE None]]
      r  == Advance(s1)
  IN Ret(r.s, SeqOf({Msg(q, [t |-> "prep", b |-> b]) : q \in C \ {s.me}}) \o r.o)

\* All candidates have answered: complete what somebody installed, or propose.
Advance(s) ==
  IF s.bal = 0 \/ \E q \in s.cand : s.acks[q] = None THEN Ret(s, <<>>)
  ELSE
  LET A == s.acks
      \* p has installed a view that q was to come to with it, from the view q is in:
      \* then p holds all of the cut, and q must follow.  Who came there from elsewhere
      \* does not hold q's cut: such a view is not completed (its holder may be dead).
      Ahead(p, q) == A[p].v.id > A[q].v.id
                     /\ \E pt \in A[p].v.parts : pt.pid = A[q].v.id /\ q \in pt.pm
                                                /\ (p \in pt.pm \/ Bug = "completeany")
      behind == IF Bug = "ignoreinstalled" THEN {} ELSE {q \in s.cand : \E p \in s.cand : Ahead(p, q)}
      lead  == [q \in behind |-> LET best == Max({A[p].v.id : p \in {x \in s.cand : Ahead(x, q)}})
                                 IN CHOOSE p \in s.cand : Ahead(p, q) /\ A[p].v.id = best]
      \* With the next view a holder frees what it holds: it waits until nobody needs that.
      strag == IF Holders /\ Bug # "holdersfirst" THEN behind \ {lead[q] : q \in behind} ELSE behind
      old(q) == LET v == A[lead[q]].v
                IN [id |-> v.id, mem |-> v.mem, parts |-> v.parts, ages |-> AgesOf(s, v.id, v.mem)]
      \* p has left the view that q is in, for one that lists q as coming from elsewhere: q has
      \* completed its view in another ballot meanwhile, and they went two ways already.
      strayed == {q \in s.cand : \E p \in s.cand :
                    /\ A[p].v.id > A[q].v.id /\ q \in A[p].v.mem
                    /\ \E pt \in A[p].v.parts : pt.pid = A[q].v.id /\ p \in pt.pm /\ q \notin pt.pm}
      \* Some have left the view that q has to complete for one in which q is said to come
      \* from where it still is: whichever way q goes, it goes apart from one of the two.
      divergent ==
        IF ~Divergent \/ Bug = "bothways" THEN {}
        ELSE {q \in behind : \E p \in s.cand :
                /\ A[p].v.id > A[lead[q]].v.id
                /\ \E pt \in A[p].v.parts : pt.pid = A[q].v.id /\ q \in pt.pm}
             \cup (IF Bug = "onlystragglers" THEN {} ELSE strayed)
  IN IF divergent # {}
     THEN Restarted(s, Ballot(Num(s.bal), Att(s.bal) + 1, s.me),
                    IF s.me \in divergent THEN {s.me} ELSE s.cand \ divergent)
     ELSE IF strag # {}
     THEN LET s1 == [s EXCEPT !.acks = [q \in s.cand |-> IF q \in strag THEN None ELSE A[q]]]
              o  == SeqOf({Msg(q, [t |-> "cut", b |-> s.bal, w |-> old(q), h |-> [x \in Node |-> lead[q]]])
                            : q \in strag \ {s.me}})
          IN IF s.me \in strag
             THEN Join(HandleCut(s1, s.bal, old(s.me), [x \in Node |-> lead[s.me]]), o)
             ELSE Ret(s1, o)
     ELSE LET pm(q)   == {x \in s.cand : A[x].v.id = A[q].v.id}
              cut(q)  == [x \in Node |-> Max({A[y].r[x] : y \in pm(q)})]
              hold(q) == [x \in Node |-> Min({y \in pm(q) : A[y].r[x] = cut(q)[x]})]
              w == [id |-> s.bal, mem |-> s.cand,
                    parts |-> {[pid |-> A[q].v.id, pm |-> pm(q), cut |-> cut(q)] : q \in s.cand},
                    ages |-> AgesOf(s, s.bal, s.cand)]
              o == SeqOf({Msg(q, [t |-> "cut", b |-> s.bal, w |-> w, h |-> hold(q)]) : q \in s.cand \ {s.me}})
          IN Join(HandleCut(s, s.bal, w, hold(s.me)), o)

HandlePrepare(s, l, b, follow) ==
  IF b <= s.prom \/ Num(b) <= Num(V(s).id) \/ follow # l
  THEN Ret(s, << Msg(l, [t |-> "nack", b |-> b, prom |-> IF Adverts THEN s.prom ELSE 0]) >>)
  ELSE LET s1 == [s EXCEPT !.prom = b, !.tgt = None, !.lost = LostAfter(s), !.bal = 0, !.cand = {}, !.acks = <<>>]
       IN Ret(AnsweringAdverts(s1, b), << Msg(l, [t |-> "ack", b |-> b, a |-> MyAck(s)]) >>)

HandleAck(s, q, b, a) ==
  IF s.bal # b \/ b = 0 \/ q \notin s.cand THEN Ret(s, <<>>)
  ELSE Advance(IF Adverts /\ s.know[q] # None
               THEN [s EXCEPT !.acks[q] = a, !.know[q].prom = Higher(@, b)]
               ELSE [s EXCEPT !.acks[q] = a])

HandleNack(s, b, prom) ==
  IF s.bal # b THEN Ret(s, <<>>)
  ELSE Ret([s EXCEPT !.bal = 0, !.cand = {}, !.acks = <<>>, !.tgt = None,
                     !.ref = IF Adverts THEN Higher(@, prom) ELSE @], <<>>)

\* Packets of the view before the installed one are kept: a straggler may need them.
HandleFetch(s, q, vid) ==
  LET n  == Len(s.hist)
      ix == {i \in (IF Bug = "noretain" THEN {n} ELSE {n - 1, n}) : i > 0 /\ s.hist[i].id = vid}
  IN IF ix = {} THEN Ret(s, <<>>)
     ELSE Ret(s, << Msg(q, [t |-> "rep", vid |-> vid, r |-> s.hist[CHOOSE i \in ix : TRUE].vec]) >>)

HandleRepair(s, vid, r) ==
  IF vid # V(s).id THEN Ret(s, <<>>)
  ELSE IF s.tgt = None
  THEN IF Bug = "laterepair"
       THEN Ret(WithVec(s, [x \in Node |-> IF r[x] > V(s).vec[x] THEN r[x] ELSE V(s).vec[x]]), <<>>)
       ELSE Ret(s, <<>>)
  ELSE LET cut == MyPart(s, s.tgt).cut
           up(x) == LET c == IF r[x] < cut[x] THEN r[x] ELSE cut[x]
                    IN IF c > V(s).vec[x] THEN c ELSE V(s).vec[x]
       IN TryInstall(WithVec(s, [x \in Node |-> up(x)]))

HandleData(s, x, vid, i) ==
  IF vid = V(s).id
  THEN IF (~Frozen(s) \/ Bug = "nofreeze") /\ i = V(s).vec[x] + 1
       THEN Ret(WithVec(s, [V(s).vec EXCEPT ![x] = i]), <<>>)
       ELSE Ret(s, <<>>)
  ELSE IF vid > V(s).id /\ Bug = "applyfuture"
       THEN Ret(WithVec(s, [V(s).vec EXCEPT ![x] = @ + 1]), <<>>)
  ELSE IF vid > V(s).id /\ Bug # "dropfuture"
       THEN Ret([s EXCEPT !.held = @ \cup {<<vid, x, i>>}], <<>>)
       ELSE Ret(s, <<>>)

Handle(s, from, m, follow) ==
  CASE m.t = "prep"  -> HandlePrepare(s, from, m.b, follow)
    [] m.t = "ack"   -> HandleAck(s, from, m.b, m.a)
    [] m.t = "nack"  -> HandleNack(s, m.b, m.prom)
    [] m.t = "cut"   -> HandleCut(s, m.b, m.w, m.h)
    [] m.t = "fetch" -> HandleFetch(s, from, m.vid)
    [] m.t = "rep"   -> HandleRepair(s, m.vid, m.r)
    [] m.t = "data"  -> HandleData(s, from, m.vid, m.i)
    [] m.t = "adv"   -> HandleAdvert(s, from, m)
    [] m.t = "who"   -> Ret(s, <<>>)              \* answered at the end of the turn

-----------------------------------------------------------------------------
(* The network *)
Open(f, p, q) == f[p].up /\ f[q].up /\ q \notin f[p].susp /\ p \notin f[q].susp

\* Whom n follows: the oldest it hears whose view has n in it, or could have: n
\* hears all of it.  (V(st[x]) is x's last advertisement.)
Follow(n) == IF Adverts THEN Fol(st[n])
             ELSE Min({n} \cup {x \in Heard(st[n]) :
                    n \in V(st[x]).mem \/ V(st[x]).mem \cap st[n].susp = {}})

RECURSIVE Put(_, _, _, _)
Put(f, ch, p, o) ==
  IF o = <<>> THEN ch
  ELSE LET q == Head(o).to
       IN Put(f, IF Open(f, p, q) THEN [ch EXCEPT ![p][q] = Append(@, Head(o).m)] ELSE ch, p, Tail(o))

FirstView(n) == IF n \in Common THEN Common ELSE IF n \in Other THEN Other ELSE {n}

\* Adverts at the start: those of one view know each other; sessions with others have just
\* opened, and the adverts that this makes are on their way.
Informed(s) ==
  LET n   == s.me
      mem == V(s).mem
      k(q) == [v |-> V(s).id, prom |-> s.prom, fol |-> Min(mem), age |-> s.age, conf |-> V(s).id, said |-> s.prom,
               hears |-> IF Min(mem) = n THEN Node \ (Later \cup {q}) ELSE {}, lost |-> {}]
      now == [v |-> V(s).id, prom |-> s.prom, fol |-> Min(mem), age |-> s.age]
  IN [s EXCEPT !.know = [q \in Node |-> IF q \in mem \ {n} THEN k(q) ELSE None],
               !.told = [q \in Node |-> IF q \in mem \ {n} THEN now ELSE None],
               !.last = now,
               !.rep  = IF Min(mem) = n THEN None ELSE [to |-> Min(mem), a |-> now, susp |-> s.susp, lost |-> {}]]

Init ==
  /\ LET f == [n \in Node |->
                IF n \in Later THEN [Fresh(n, {n}, Node \ {n}) EXCEPT !.up = FALSE]
                ELSE Fresh(n, FirstView(n), Later)]
         g == [n \in Node |-> IF Adverts THEN Informed(f[n]) ELSE f[n]]
         r == [n \in Node |->
                IF g[n].up THEN Turn(Ret(g[n], <<>>), [NoEvent EXCEPT !.opened = Node \ (Later \cup FirstView(n))])
                ELSE Ret(g[n], <<>>)]
         toNode(o, q) == SelectSeq(o, LAMBDA x : x.to = q)
     IN /\ st = [n \in Node |-> r[n].s]
        /\ chan = [p \in Node |-> [q \in Node |->
                     LET o == toNode(r[p].o, q) IN [i \in 1 .. Len(o) |-> o[i].m]]]
  /\ nclose = 0 /\ ncrash = 0 /\ nstray = 0 /\ bad = {}

Receive(p, q) ==
  /\ st[q].up /\ chan[p][q] # <<>>
  /\ \E follow \in IF AnyFollow /\ Head(chan[p][q]).t = "prep" THEN {Follow(q), p} ELSE {Follow(q)} :
     LET m  == Head(chan[p][q])
         e  == IF ~Adverts THEN NoEvent
               ELSE IF m.t = "adv" THEN [NoEvent EXCEPT !.from = p, !.turned = IF st[q].know[p] = None THEN FALSE
                                                                            ELSE st[q].know[p].fol # m.a.fol]
               ELSE IF m.t = "who" THEN [NoEvent EXCEPT !.who = p] ELSE NoEvent
         r  == Turn(Handle(st[q], p, m, follow), e)
         f  == [st EXCEPT ![q] = r.s]
         c1 == [chan EXCEPT ![p][q] = Tail(@)]
         took == m.t = "data" /\ V(r.s).vec # V(st[q]).vec      \* delivered at once
     IN /\ st' = f
        /\ chan' = Put(f, c1, q, r.o)
        /\ bad' = bad \cup (IF took /\ m.vid # V(st[q]).id THEN {"S7"} ELSE {})
                     \cup (IF took /\ m.i # V(st[q]).vec[p] + 1 THEN {"S11"} ELSE {})
  /\ UNCHANGED <<nclose, ncrash, nstray>>

Send(n) ==
  LET s == st[n] IN
  /\ s.up /\ n \in Senders /\ s.sent < MaxSend /\ ~Frozen(s)
  /\ LET i  == V(s).vec[n] + 1
         s1 == [WithVec(s, [V(s).vec EXCEPT ![n] = i]) EXCEPT !.sent = @ + 1]
         f  == [st EXCEPT ![n] = s1]
     IN /\ st' = f
        /\ chan' = Put(f, chan, n, SeqOf({Msg(q, [t |-> "data", vid |-> V(s).id, i |-> i]) : q \in V(s).mem \ {n}}))
  /\ UNCHANGED <<nclose, ncrash, nstray, bad>>

-----------------------------------------------------------------------------
(* When a coordinator starts or restarts a ballot.  Here alone it reads    *)
(* other nodes' state: that stands for their last advertisement (installed *)
(* view, promise, whom I hear, whom I have lost) which travels in          *)
(* heartbeats and reports.  A stale one costs a NACK or another ballot.    *)
(* With "adverts" it reads what it was told instead (Told).                *)
Known(n) == Heard(st[n]) \cup {n}
Told(n, q) == st[n].know[q]
KnownProm(n, q) == IF Adverts /\ q # n THEN Told(n, q).prom ELSE st[q].prom
KnownNum(n, q)  == Num(IF Adverts /\ q # n THEN Told(n, q).v ELSE V(st[q]).id)
KnownLost(n, q) == IF Adverts /\ q # n THEN Told(n, q).lost ELSE st[q].lost
Settled(n) ==
  IF Adverts THEN \A q \in Peers(st[n]) : Told(n, q) # None /\ ~IsOrphan(st[n], q)
  ELSE \A q \in Known(n) \ {n} :
     /\ Open(st, n, q)
     /\ (Follow(q) # n => Open(st, q, Follow(q)))
Mine(n)   == IF Adverts THEN {n} \cup {q \in Spoken(st[n]) : Told(n, q).fol = n}
             ELSE {q \in Known(n) : Follow(q) = n}
Clique(n) ==
  IF Adverts
  THEN LET s == st[n]
           hears(q, x) == IF q = n THEN x \in Peers(s) ELSE x \in Told(n, q).hears
           older(x, q) == RankOf(s, x) < RankOf(s, q)
           joins(q) == hears(q, n) /\ \A x \in Mine(n) : older(x, q) => hears(q, x) /\ hears(x, q)
       IN {q \in Mine(n) : q = n \/ joins(q)}
  ELSE {q \in Mine(n) : \A x \in Mine(n) : x < q => x \notin st[q].susp /\ q \notin st[x].susp}

Need(n) ==
  LET s == st[n]
      C == Clique(n)
  IN IF s.bal = 0
     THEN \/ C # V(s).mem
          \/ \E q \in C : KnownProm(n, q) # V(s).id
          \/ \E q \in C : KnownLost(n, q) \cap C # {}
     ELSE \/ IF Growth THEN ~(s.cand \subseteq C) ELSE C # s.cand
          \/ \E q \in C : KnownProm(n, q) > s.bal
          \/ \E q \in C \cap s.cand : s.acks[q] # None /\ KnownLost(n, q) \cap (IF Growth THEN s.cand ELSE C) # {}

Run(n, b, C) ==
  LET r == Turn(Restarted(st[n], b, C), NoEvent)
      f == [st EXCEPT ![n] = r.s]
  IN st' = f /\ chan' = Put(f, chan, n, r.o)

StartBallot(n) ==
  /\ st[n].up /\ Follow(n) = n /\ Settled(n) /\ Need(n)
  /\ LET C  == Clique(n)
         M  == Max({KnownProm(n, q) : q \in C} \cup {st[n].ref})
         vm == Max({KnownNum(n, q) : q \in C})
     IN Run(n, IF Num(M) > vm THEN Ballot(Num(M), Att(M) + 1, n) ELSE Ballot(vm + 1, 1, n), C)
  /\ UNCHANGED <<nclose, ncrash, nstray, bad>>

CanNotice(p, q) == p # q /\ st[p].up /\ q \notin st[p].susp /\ ~Open(st, p, q)

\* A ballot is held back for long: the coordinator asks those that it waits for, once.
Ask(n) ==
  /\ Adverts /\ Bug # "orphansunasked" /\ st[n].up /\ Follow(n) = n /\ Need(n)
  /\ \A p, q \in Node : chan[p][q] = <<>> /\ ~CanNotice(p, q)
  /\ LET O == {q \in Peers(st[n]) : IsOrphan(st[n], q) /\ <<0, q>> \notin st[n].asked}
         f == [st EXCEPT ![n].asked = @ \cup {<<0, q>> : q \in O}]
     IN O # {} /\ st' = f /\ chan' = Put(f, chan, n, SeqOf({Msg(q, [t |-> "who"]) : q \in O}))
  /\ UNCHANGED <<nclose, ncrash, nstray, bad>>

\* A ballot on stale or wrong news: anybody, any candidates, only its own promise known.
StrayBallot(n) ==
  /\ st[n].up /\ nstray < MaxStray /\ nstray' = nstray + 1
  /\ \E C \in SUBSET Known(n) :
       /\ n \in C
       /\ LET M == st[n].prom
              k == Num(V(st[n]).id)
          IN Run(n, IF Num(M) > k THEN Ballot(Num(M), Att(M) + 1, n) ELSE Ballot(k + 1, 1, n), C)
  /\ UNCHANGED <<nclose, ncrash, bad>>

-----------------------------------------------------------------------------
(* Faults *)
\* p closes its side, and drops what q had in flight.
Closing(p, q) ==
  LET r == Turn(Ret([st[p] EXCEPT !.susp = @ \cup {q}, !.lost = @ \cup {q}], <<>>), NoEvent)
      f == [st EXCEPT ![p] = r.s]
  IN st' = f /\ chan' = Put(f, [chan EXCEPT ![q][p] = <<>>], p, r.o)

Close(p, q) ==
  /\ p # q /\ Open(st, p, q) /\ nclose < MaxClose
  /\ nclose' = nclose + 1
  /\ Closing(p, q)
  /\ UNCHANGED <<ncrash, nstray, bad>>

\* The other end is gone (crashed, or closed its side): seen sooner or later.
Notice(p, q) ==
  /\ CanNotice(p, q)
  /\ Closing(p, q)
  /\ UNCHANGED <<nclose, ncrash, nstray, bad>>

Reconnect(p, q) ==
  /\ p < q /\ {p, q} \notin Perm /\ st[p].up /\ st[q].up /\ q \in st[p].susp /\ p \in st[q].susp
  /\ LET rp == Turn(Ret([st[p] EXCEPT !.susp = @ \ {q}], <<>>), [NoEvent EXCEPT !.opened = {q}])
         rq == Turn(Ret([st[q] EXCEPT !.susp = @ \ {p}], <<>>), [NoEvent EXCEPT !.opened = {p}])
         f  == [st EXCEPT ![p] = rp.s, ![q] = rq.s]
     IN st' = f /\ chan' = Put(f, Put(f, chan, p, rp.o), q, rq.o)
  /\ UNCHANGED <<nclose, ncrash, nstray, bad>>

Crash(n) ==
  /\ st[n].up /\ ncrash < MaxCrash /\ ncrash' = ncrash + 1
  /\ st' = [st EXCEPT ![n].up = FALSE, ![n].held = {}, ![n].tgt = None, ![n].bal = 0,
                      ![n].cand = {}, ![n].acks = <<>>, ![n].lost = {},
                      ![n].know = [x \in Node |-> None], ![n].told = [x \in Node |-> None], ![n].lists = {},
                      ![n].last = None, ![n].rep = None, ![n].asked = {}, ![n].ref = 0]
  /\ chan' = [p \in Node |-> [chan[p] EXCEPT ![n] = <<>>]]
  /\ UNCHANGED <<nclose, nstray, bad>>

\* A new node, possibly the next incarnation of a crashed one nobody has missed yet.
\* Its handshake proves to everybody that the old incarnation is gone.
Start(n) ==
  /\ n \in Later /\ ~st[n].up /\ st[n].susp = Node \ {n}
  /\ Pred[n] # 0 => ~st[Pred[n]].up
  /\ LET U == {q \in Node : st[q].up}
         gone == IF Pred[n] = 0 THEN {} ELSE {Pred[n]}
         s1 == [q \in Node |->
              IF q = n THEN [st[n] EXCEPT !.up = TRUE, !.susp = Node \ (U \cup {n})]
              ELSE IF q \in U THEN [st[q] EXCEPT !.susp = (@ \ {n}) \cup gone,
                                                 !.lost = @ \cup gone]
              ELSE st[q]]
         r == [q \in Node |-> IF q \in U \cup {n}
                              THEN Turn(Ret(s1[q], <<>>), [NoEvent EXCEPT !.opened = IF q = n THEN U ELSE {n}])
                              ELSE Ret(s1[q], <<>>)]
         f == [q \in Node |-> r[q].s]
     IN /\ st' = f
        /\ chan' = [p \in Node |-> Put(f, [x \in Node |-> IF x \in gone THEN [q \in Node |-> <<>>] ELSE chan[x]],
                                       p, r[p].o)[p]]
  /\ UNCHANGED <<nclose, ncrash, nstray, bad>>

Protocol ==
  \/ \E n \in Node : Send(n) \/ StartBallot(n) \/ Ask(n) \/ Start(n)
  \/ \E p, q \in Node : Receive(p, q) \/ Notice(p, q) \/ Reconnect(p, q)

Fault == \/ \E p, q \in Node : Close(p, q)
         \/ \E n \in Node : Crash(n) \/ StrayBallot(n)

\* At rest: nothing in flight; who shares a view has delivered the same in it and all
\* hear each other; no two views could be one.  Without Perm: one view of all.
Up == {n \in Node : st[n].up}
Good ==
  /\ \A n \in Up : /\ V(st[n]).mem \subseteq Up /\ ~Frozen(st[n])
                   /\ \A m \in V(st[n]).mem : /\ V(st[n]).id = V(st[m]).id /\ V(st[n]).vec = V(st[m]).vec
                                              /\ Open(st, n, m)
                   /\ \A m \in Up \ V(st[n]).mem : \E a \in V(st[n]).mem, b \in V(st[m]).mem : ~Open(st, a, b)
                   /\ \A m \in st[n].susp \cap Up : {n, m} \in Perm
  /\ \A p, q \in Node : chan[p][q] = <<>>

Finished == Good /\ UNCHANGED vars      \* every other state without a successor is a deadlock

Next == Protocol \/ Fault \/ Finished

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Properties.  H(n,i): the i-th view of n with what n delivered in it.    *)
H(n, i) == st[n].hist[i]
Ix(n) == 1 .. Len(st[n].hist)

S3_SelfInclusion == \A n \in Node : \A i \in Ix(n) : n \in H(n, i).mem
S4_Monotone == \A n \in Node : \A i \in Ix(n) : i > 1 => H(n, i).id > H(n, i - 1).id
                                                       /\ Num(H(n, i).id) > Num(H(n, i - 1).id)
S6_Agreement == \A n, m \in Node : \A i \in Ix(n), j \in Ix(m) :
                  H(n, i).id = H(m, j).id => H(n, i).mem = H(m, j).mem /\ H(n, i).parts = H(m, j).parts
S7_SameView == "S7" \notin bad
S11_Fifo == "S11" \notin bad
S9_VirtualSynchrony ==
  \A n, m \in Node : \A i \in Ix(n), j \in Ix(m) :
     (n < m /\ i > 1 /\ j > 1 /\ H(n, i).id = H(m, j).id /\ H(n, i - 1).id = H(m, j - 1).id)
       => H(n, i - 1).vec = H(m, j - 1).vec
\* Two nodes that were in V and are in W, and that no view between has separated,
\* went the same way and delivered the same.  With S9 this is S12: a crash, of the
\* coordinator too, never makes two survivors differ.
S12_NoSpuriousSplit ==
  \A n, m \in Node : n < m =>
    \A i, i2 \in Ix(n), j, j2 \in Ix(m) :
      ( /\ i < i2 /\ j < j2 /\ H(n, i).id = H(m, j).id /\ H(n, i2).id = H(m, j2).id
        /\ \A k \in i..i2 : m \in H(n, k).mem
        /\ \A k \in j..j2 : n \in H(m, k).mem )
      => i2 - i = j2 - j /\ \A d \in 0 .. (i2 - i - 1) : H(n, i + d).id = H(m, j + d).id
                                                      /\ H(n, i + d).vec = H(m, j + d).vec
\* FIFO without gaps: what is delivered in V from x is a prefix of what x sent in V
\* (delivery is only ever of number vec+1; the bound is x's own count, creation excluded).
S11_NoCreation ==
  \A n, x \in Node : \A i \in Ix(n) :
     H(n, i).vec[x] > 0 => \E j \in Ix(x) : H(x, j).id = H(n, i).id /\ H(n, i).vec[x] <= H(x, j).vec[x]
\* A merged view starts every sender at 1, and nobody delivers in it what was sent elsewhere.
S18_MergeNoHole ==
  \A n, m \in Node : \A i \in Ix(n), j \in Ix(m) :
     (i > 1 /\ H(n, i).id = H(m, j).id) =>
        \A x \in Node \ H(n, i).mem : H(n, i).vec[x] = 0
S22_IncarnationFence ==
  \A n \in Node, x \in Later : Pred[x] # 0 =>
     \A i \in Ix(n) : x \in H(n, i).mem =>
        /\ Pred[x] \notin H(n, i).mem
        /\ \A k \in Ix(n) : k >= i => H(n, k).vec[Pred[x]] = 0

\* For the configurations: who replaces whom.
Pred_none == <<0, 0, 0, 0>>
Pred_4of1 == <<0, 0, 0, 1>>
Pred_4of3 == <<0, 0, 0, 3>>
Pred_3of1 == <<0, 0, 1>>
Pred_3of2 == <<0, 0, 2>>

\* Adverts: nobody is refused again and again, as somebody who was never told better would be.
Calm == \A n \in Node : Att(st[n].prom) < 8 /\ Num(st[n].prom) < 10

\* Adverts and ages: at rest all members of a view follow the same one.
AtRest ==
  /\ Good
  /\ \A n \in Up : /\ \A q \in Peers(st[n]) : Open(st, n, q)
                   /\ (Follow(n) = n => ~Need(n))
OneCoordinator == Adverts /\ AtRest => \A n \in Up : \A m \in V(st[n]).mem : Fol(st[n]) = Fol(st[m])

(* Runs that are too long to be met by a complete search are led there: a   *)
(* state before the point of interest counts only if it lies on the way.    *)
(* From there on everything is searched.                                    *)
(*                                                                          *)
(* A straggler behind a straggler, of {1, 2, 3}: 3 stays in the first view, *)
(* 2 in the next one, which lists 3, and 1 goes on to one of {1, 2}.        *)
Views(n) == Len(st[n].hist)
In(n, i, mem) == Views(n) >= i /\ H(n, i).mem = mem
ToChain ==
  \/ nclose = 3 /\ In(1, 2, {1, 2, 3}) /\ In(1, 3, {1, 2}) /\ In(2, 2, {1, 2, 3})
  \/ /\ st[2].bal = 0 /\ st[3].bal = 0 /\ Att(st[1].prom) <= 1
     /\ Views(3) = 1 /\ Views(2) <= 2 /\ Views(1) <= 3 /\ Views(1) >= nclose
     /\ (nclose > 0 => H(1, 1).vec[2] = 1)          \* 2 has sent; 3 closes its session with 2 ...
     /\ H(3, 1).vec[2] = 0
     /\ (Views(1) > 1 => In(1, 2, {1, 2, 3}))
     /\ (nclose > 1 => 1 \in st[3].susp)            \* ... then with 1, before it has the next view
     /\ (Views(1) > 2 => In(1, 3, {1, 2}) /\ In(2, 2, {1, 2, 3}))

(* Two ways, of {2, 3}, 4, and 1, which starts later: 2 merges 4 into a     *)
(* view that 3 does not get; then 1, which does not hear 2, merges 3 and 4  *)
(* into another one, which 3 does not get either.                           *)
PastFork == In(2, 2, {2, 3, 4}) /\ In(4, 2, {2, 3, 4}) /\ In(4, 3, {1, 3, 4}) /\ In(1, 2, {1, 3, 4})
ToFork ==
  \/ PastFork
  \/ /\ Views(3) = 1 /\ Views(2) <= 2 /\ st[3].bal = 0 /\ st[4].bal = 0
     /\ (Views(2) > 1 => In(2, 2, {2, 3, 4}))
     /\ (Views(4) > 1 => In(4, 2, {2, 3, 4}))
     /\ (Views(4) > 2 => In(4, 3, {1, 3, 4}))
     /\ (Views(1) > 1 => In(1, 2, {1, 3, 4}))
     /\ (st[1].up => Views(4) > 1)
     /\ (st[2].bal # 0 => st[2].cand = {2, 3, 4}) /\ (st[1].bal # 0 => st[1].cand = {1, 3, 4})
     /\ (nclose > 0 => st[1].up /\ (1 \in st[2].susp \/ 2 \in st[1].susp))
     /\ (nclose > 1 => Views(1) = 2 /\ 1 \in st[3].susp)

TypeOK == \A n \in Node : st[n].prom >= V(st[n]).id /\ (st[n].tgt # None => Frozen(st[n]))
=============================================================================
