------------------------------- MODULE Knowledge -------------------------------
(***************************************************************************)
(* tutti: what a node knows of others, whom it follows, and which nodes it *)
(* tells what (departures "adverts" and "ages").  See ViewChange.          *)
(***************************************************************************)
EXTENDS NodeState

(* What a node knows of others (departures "adverts" and "ages").  know[q]  *)
(* is None until q has spoken since the session opened; then                *)
(*   v, prom, fol, age  what q has said, or the installed view says of it   *)
(*   conf, said         the view and the promise that q has told itself     *)
(*   hears, lost        q's sessions and losses, while q follows this node  *)
(* lists are views with their members; asked has the questions (WHO) that   *)
(* are open, as <<view or 0, node>>; rep is what was last reported to the   *)
(* node that is followed, told[q] and last what q and anybody was told.     *)
Peers(s)    == Node \ (s.susp \cup {s.me})
Spoken(s)   == {q \in Peers(s) : s.know[q] # None}
RankOf(s, q) == (IF q = s.me THEN s.age ELSE s.know[q].age) * 10 + q
Alone(id, q) == id = 1000 + q
Higher(a, b) == IF a > b THEN a ELSE b
Lower(a, b)  == IF a < b THEN a ELSE b

Raise(k, id) == [k EXCEPT !.v = id, !.prom = Higher(@, id), !.age = Lower(@, Num(id))]

\* The installed view says of its members that they have promised it, are in it, how old
\* they are, and that they followed its proposer when they promised it.
Outweigh(s, q, k) ==
  LET w == V(s) IN
  IF Cardinality(w.mem) = 1 \/ q \notin w.mem THEN k
  ELSE LET before == IF Bug = "viewknowsbetter" THEN k.conf < w.id ELSE k.said < w.id
           k1 == IF before /\ k.fol # s.me THEN [k EXCEPT !.fol = Prop(w.id)] ELSE k
           k2 == IF Num(k1.v) < Num(w.id) THEN Raise(k1, w.id) ELSE k1
           age == IF ~Ages THEN 0
                  ELSE IF Num(k.conf) >= Num(w.id) THEN k2.age
                  ELSE w.ages[q]
       IN [k2 EXCEPT !.age = age, !.prom = Higher(@, w.id)]

Listed(s, id, mem) ==
  [s EXCEPT !.lists = @ \cup {[id |-> id, mem |-> mem]},
            !.know = [q \in Node |-> IF s.know[q] # None /\ q \in mem /\ Num(s.know[q].v) < Num(id)
                                     THEN [Raise(s.know[q], id) EXCEPT !.age = IF Ages THEN @ ELSE 0]
                                     ELSE s.know[q]]]

InstalledAdverts(past, s, w) ==
  IF ~Adverts THEN s
  ELSE LET own == IF Ages /\ Cardinality(w.mem) > 1
                  THEN IF Bug = "ownage" THEN Lower(s.age, Num(w.id)) ELSE w.ages[s.me]
                  ELSE s.age
           s1 == [Listed(s, past.id, past.mem) EXCEPT !.age = own, !.ref = IF s.prom = w.id THEN 0 ELSE @,
                    \* Where packets are kept for others (R5) the view is confirmed; else the proposer knows it.
                    !.rep = IF Bug # "unconfirmed" /\ \E p \in w.parts : \E x \in Node : p.cut[x] > 0 THEN None
                            ELSE IF @ # None /\ @.to = Prop(w.id)
                            THEN [@ EXCEPT !.a.v = w.id, !.a.prom = Higher(@, w.id), !.a.age = own] ELSE @]
       IN [s1 EXCEPT !.know = [q \in Node |-> IF s1.know[q] = None THEN None ELSE Outweigh(s1, q, s1.know[q])]]

\* The proposer knows what an answer says.
AnsweringAdverts(s, b) ==
  IF ~Adverts \/ s.rep = None THEN s
  ELSE IF s.rep.to # Prop(b) THEN s ELSE [s EXCEPT !.rep.a.v = V(s).id, !.rep.a.prom = b]

\* The ages that go with a CUT: what the proposer knows, also of a view that it sends again.
AgesOf(s, id, mem) ==
  [x \in Node |-> IF ~Ages THEN 0
                 ELSE IF x \notin mem THEN NotYet
                 ELSE Lower(Num(id), IF x = s.me THEN s.age
                                     ELSE IF x \in Peers(s) THEN (IF s.know[x] = None THEN NotYet ELSE s.know[x].age)
                                     ELSE V(s).ages[x])]

\* It follows one that s does not hear, as far as s knows: it may not have noticed a crash yet.
IsOrphan(s, q) == s.know[q] # None /\ s.know[q].fol \notin {s.me, q} \cup Peers(s)

InOtherView(s, q) == ~Alone(s.know[q].v, q) /\ s.know[q].v # V(s).id
IsListed(s, q)    == ~InOtherView(s, q) \/ \E l \in s.lists : l.id = s.know[q].v
CanFollow(s, q) ==
  \/ ~InOtherView(s, q)
  \/ \E l \in s.lists : l.id = s.know[q].v /\ (s.me \in l.mem \/ l.mem \cap s.susp = {})

\* Nodes that take each other for the older would wait for each other: the lowest does not.
RECURSIVE LeftToSelf(_, _, _)
LeftToSelf(s, q, steps) ==
  /\ steps > 0 /\ s.me < q /\ q \in Spoken(s) /\ Bug \notin {"ownage", "mutual"}
  /\ \/ s.know[q].fol = s.me
     \/ s.know[q].fol # q /\ LeftToSelf(s, s.know[q].fol, steps - 1)

OlderThan(s) == {q \in Spoken(s) : RankOf(s, q) < RankOf(s, s.me)}
Oldest(s, S) == CHOOSE q \in S : \A x \in S : RankOf(s, q) <= RankOf(s, x)
Fol(s) == LET C == {q \in OlderThan(s) : CanFollow(s, q) /\ ~LeftToSelf(s, q, Cardinality(Node))}
          IN IF C = {} THEN s.me ELSE Oldest(s, C)

-----------------------------------------------------------------------------
(* Adverts: who is told what (departure "adverts").  An advert says which   *)
(* view its sender is in, what it has promised, whom it follows and how old *)
(* it is; some also have the sender's sessions, or the members of its view. *)
HandleAdvert(s, q, m) ==
  LET a   == m.a
      k0  == s.know[q]
      own == a.fol = s.me
      age == IF a.v = V(s).id /\ q \in V(s).mem THEN V(s).ages[q] ELSE a.age
      k1  == [v |-> a.v, prom |-> a.prom, fol |-> a.fol, age |-> IF Ages THEN age ELSE 0, conf |-> a.v, said |-> a.prom,
              hears |-> IF own /\ k0 # None THEN k0.hears ELSE {}, lost |-> IF own /\ k0 # None THEN k0.lost ELSE {}]
      k2  == Outweigh(s, q, k1)
      k3  == IF k2.fol = s.me /\ m.d = "heard" THEN [k2 EXCEPT !.hears = m.hears, !.lost = m.lost] ELSE k2
      s1  == [s EXCEPT !.know[q] = k3]
  IN Ret(IF m.d # "listed" THEN s1
         ELSE [Listed(s1, a.v, m.mem) EXCEPT !.asked = {x \in @ : x[2] # q \/ x[1] = 0}], <<>>)

\* What a turn was about, as far as adverts depend on it.
NoEvent == [opened |-> {}, from |-> 0, turned |-> FALSE, who |-> 0]

SaysMore(a, b) == a.v # b.v \/ a.fol # b.fol \/ a.age # b.age

\* The end of a turn: what n has to say goes out, before an answer of the same turn.
Turn(r, e) ==
  IF ~Adverts THEN r
  ELSE
  LET n    == r.s.me
      P    == Peers(r.s)
      s    == [r.s EXCEPT !.know = [q \in Node |-> IF q \in P THEN @[q] ELSE None],
                          !.told = [q \in Node |-> IF q \in P THEN @[q] ELSE None],
                          !.asked = {x \in @ : x[2] \in P /\ (x[1] = 0 => IsOrphan(r.s, x[2]))},
                          !.rep  = IF @ # None /\ @.to \notin P THEN None ELSE @]
      k    == s.know
      mem  == V(s).mem
      fol  == Fol(s)
      own  == fol = n
      now  == [v |-> V(s).id, prom |-> s.prom, fol |-> fol, age |-> s.age]
      last == IF s.last = None THEN now ELSE s.last
      more == SaysMore(now, last)
      inst == now.v # last.v \/ now.age # last.age
      turn == now.fol # last.fol
      coordinators == {q \in Spoken(s) : k[q].fol = q}
      outside      == P \ mem
      heard == IF e.from \notin Spoken(s) THEN {}
               ELSE IF k[e.from].fol = n
               THEN IF s.told[e.from] = None THEN {e.from}
                    ELSE IF SaysMore(last, s.told[e.from]) /\ last.fol # n THEN {e.from} ELSE {}
               ELSE IF e.turned /\ k[e.from].fol = e.from THEN {e.from} ELSE {}
      concerned == IF ~more THEN {}
                   ELSE IF own THEN (IF inst \/ turn THEN (IF Bug = "outsidersuntold" THEN {} ELSE outside) ELSE {})
                   ELSE {q \in Spoken(s) : k[q].fol = n}
      former == IF ~turn \/ last.fol = n THEN {}
                ELSE IF last.fol \in P THEN (IF Bug = "formeruntold" THEN {} ELSE {last.fol})
                ELSE coordinators \cup (IF own THEN outside ELSE {})
      un   == ((e.opened \cap P) \cup heard \cup concerned \cup former)
      say  == [to |-> fol, a |-> now, susp |-> s.susp, lost |-> s.lost]
      isReport == ~own /\ (IF s.rep = None \/ s.told[fol] = None THEN TRUE ELSE say # s.rep)
      un1  == IF own THEN un ELSE un \ {fol}
      tells   == own /\ Bug # "unlisted" /\ IF Bug = "aloneunlisted" THEN Cardinality(mem) > 1 ELSE ~Alone(V(s).id, n)
      listed  == (IF tells THEN un1 \ mem ELSE {}) \cup ({e.who} \cap P)
      nothing == un1 \ (listed \ {e.who})
      adv(d) == [t |-> "adv", a |-> now, d |-> d, hears |-> {}, lost |-> {}, mem |-> {}]
      unknown == {q \in OlderThan(s) : ~IsListed(s, q) /\ \A x \in s.asked : x[1] # k[q].v}
      ask  == IF unknown = {} THEN {} ELSE {Oldest(s, unknown)}
      o    == (IF isReport THEN << Msg(fol, [adv("heard") EXCEPT !.hears = P, !.lost = s.lost]) >> ELSE <<>>)
              \o SeqOf({Msg(q, adv("nothing")) : q \in nothing})
              \o SeqOf({Msg(q, [adv("listed") EXCEPT !.mem = mem]) : q \in listed})
              \o SeqOf({Msg(q, [t |-> "who"]) : q \in ask})
      all  == nothing \cup listed \cup (IF isReport THEN {fol} ELSE {})
  IN Ret([s EXCEPT !.last = now,
                   !.told = [q \in Node |-> IF q \in all THEN now ELSE @[q]],
                   !.rep  = IF own THEN None ELSE IF isReport THEN say ELSE @,
                   !.asked = @ \cup {<<k[q].v, q>> : q \in ask}], o \o r.o)
=============================================================================
