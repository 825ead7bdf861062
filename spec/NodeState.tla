------------------------------ MODULE NodeState ------------------------------
(***************************************************************************)
(* tutti: bounds of a search, and the state of a node.                     *)
(* See ViewChange.                                                         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS Node,      \* integers; the number is the rank (low = old)
          Common,    \* nodes that start in one common view
          Other,     \* nodes that start in a second common view (a partition to merge)
          Solo,      \* nodes that start in a view of their own
          Later,     \* nodes that may start during the run
          Pred,      \* Later -> Node or 0: the incarnation it replaces
          MaxSend,   \* packets per sender in the whole run
          MaxClose, MaxCrash,
          MaxStray,  \* ballots started for a wrong reason: stale news, not even coordinator
          Perm,      \* pairs of nodes that never reconnect: lasting, non-transitive faults
          Senders,   \* nodes that send
          Departures, \* where the model follows the implementation instead: see below
          Bug        \* "none" or a seeded mistake

None == [t |-> "none"]
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : y >= x
Zero == [x \in Node |-> 0]

(* Departures is a subset of                                                *)
(*   growth    newcomers do not restart a ballot that runs                  *)
(*   divergent a member that would have to go two ways is left out of one   *)
(*             view                                                         *)
(*   holders   a straggler that others fetch from catches up after them     *)
(*   anyfollow a PREPARE is taken from anybody, whatever adverts and ages   *)
(*             say                                                          *)
(*   adverts   a node acts on what it was told, by adverts that go to those *)
(*             who need them; without it, on the present state of others    *)
(*   ages      ranks are ages that views carry (needs adverts); without it, *)
(*             the number of the node is its rank                           *)
Growth    == "growth" \in Departures
Divergent == "divergent" \in Departures
Holders   == "holders" \in Departures
AnyFollow == "anyfollow" \in Departures
Adverts   == "adverts" \in Departures
Ages      == "ages" \in Departures

\* A ballot, and the id of the view it installs: (number, attempt, proposer).
Ballot(num, att, n) == num * 1000 + att * 10 + (IF Bug = "noproposer" THEN 0 ELSE n)
Num(b)  == b \div 1000
Att(b)  == (b % 1000) \div 10
Prop(b) == b % 10

-----------------------------------------------------------------------------
(* One node's state *)
V(s)       == s.hist[Len(s.hist)]                 \* installed view, with vec
Frozen(s)  == s.prom # V(s).id                    \* answered a PREPARE, not yet installed
Heard(s)   == Node \ s.susp
WithVec(s, vec) == [s EXCEPT !.hist[Len(s.hist)].vec = vec]
Ret(s, o)  == [s |-> s, o |-> o]
Msg(q, m)  == [to |-> q, m |-> m]
\* The first view of a node alone is told from a common one by its id: adverts need that.
FirstId(mem) == 1000 + (IF Adverts /\ Cardinality(mem) > 1 THEN 10 ELSE 0) + Min(mem)
NotYet == 99                                      \* the age of a node that was with nobody yet
FirstAge(mem) == IF ~Ages THEN 0 ELSE IF Cardinality(mem) > 1 THEN 1 ELSE NotYet
Fresh(n, mem, susp) ==
  [me |-> n, up |-> TRUE, susp |-> susp, lost |-> {}, prom |-> FirstId(mem),
   hist |-> << [id |-> FirstId(mem), mem |-> mem, parts |-> {}, vec |-> Zero,
                ages |-> [x \in Node |-> IF x \in mem THEN FirstAge(mem) ELSE NotYet]] >>,
   held |-> {}, tgt |-> None, bal |-> 0, cand |-> {}, acks |-> <<>>, sent |-> 0,
   \* Only with adverts; they never change without.
   age |-> FirstAge(mem), ref |-> 0, know |-> [x \in Node |-> None], lists |-> {}, told |-> [x \in Node |-> None],
   last |-> None, rep |-> None, asked |-> {}]

SeqOf(S) == \* a set of messages, any fixed order
  LET RECURSIVE f(_) 
      f(T) == IF T = {} THEN <<>> ELSE LET x == CHOOSE y \in T : TRUE IN <<x>> \o f(T \ {x})
  IN f(S)

MyPart(s, w) == CHOOSE p \in w.parts : p.pid = V(s).id /\ s.me \in p.pm
HasPart(s, w) == \E p \in w.parts : p.pid = V(s).id /\ s.me \in p.pm

\* Packets of view id that were held and are now deliverable, per sender.
Contig(s, id, x) == LET RECURSIVE k(_)
                        k(i) == IF <<id, x, i + 1>> \in s.held THEN k(i + 1) ELSE i
                    IN k(0)
=============================================================================
