package dev.tutti.internal.state;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.state.Cut.Verdict;
import dev.tutti.internal.state.StateRecord.Have;
import dev.tutti.internal.state.StateRecord.Status;
import dev.tutti.protocols.node.GroupSettings.StateOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Determines, with the same result at all members, which members have which state and whose continues.
 *
 * <p>A state has a name: a number that its founder derives from the view in which no member had a state, and that all
 * members with the state mix with each view that they leave. So two members have the same name in a view if and only if
 * they come from one view in which they had it, or one has got it from the other.
 *
 * <p>In a view of several parts every member multicasts its status, and nothing is decided before all have done so: the
 * verdict is a function of all statuses. Virtual synchrony does the rest. Members that continue together have received
 * the same statuses in the view before; either all of them know the verdict, or none does, and they ask again. A member
 * that has got a state multicasts that, and counts as a holder from its delivery on.
 *
 * <p>On the loop. It decides when views and records arrive, not when listeners come there, so that a slow listener
 * holds up no other member.
 */
final class Agreement {

    /** Acts on the decisions. */
    interface Owner {

        void sendToAll(StateRecord statement);

        /**
         * Notes that this member gets the state of {@code target}, or needs none any more; before the verdict that says
         * so.
         */
        void onTarget(@Nullable Cut target);

        /** Notes that the verdict at {@code cut} is known. */
        void onSettled(Cut cut);

        /**
         * Notes the members of the view that have no state: before the verdict of the view, and when one more has got
         * it.
         */
        void onLacking(TreeSet<Member> lacking);

        /** Notes that no member has a state, and none can begin with a new one. */
        void onLost(String reason);
    }

    private final StateOf policy;
    private final Owner owner;
    private @Nullable Member self;
    private @Nullable Cut cut;

    /** Name of this member's state, or of the one that it is getting; 0 for none. */
    private long state;

    /** Name of a state that was given up for another one, and is intact; 0 for none. */
    private long unlost;

    /** Epoch of the last primary view that settled on {@link #state} and was left; 0 for none. */
    private long epoch;

    /** The same epoch for {@link #unlost}, as it was when that was given up. */
    private long unlostEpoch;

    private boolean isComplete;
    private boolean isClean = true;

    /** Cut whose state this member is getting; null if it gets none. */
    private @Nullable Cut target;

    /** Members of the settled view that have a state, with its name. */
    private final TreeMap<Member, Long> holders = new TreeMap<>();

    private final TreeMap<Member, Status> statuses = new TreeMap<>();
    private final TreeMap<Member, Have> early = new TreeMap<>();

    Agreement(StateOf policy, Owner owner) {
        this.policy = policy;
        this.owner = owner;
    }

    // ------------------------------------------------------------------ what has happened

    Cut onView(View view) {
        Cut last = cut;
        Cut next = new Cut(view);
        cut = next;
        statuses.clear();
        early.clear();
        Member own = self;
        if (last == null || own == null) {
            self = view.members().getFirst();
            return next;
        }
        state = state == 0 ? 0 : last.id().mix(state);
        unlost = unlost == 0 ? 0 : last.id().mix(unlost);
        holders.replaceAll((member, name) -> last.id().mix(name));
        holders.keySet().retainAll(view.members());
        boolean wasSettled = last.isSettled();
        if (wasSettled && last.view().isPrimary()) {
            epoch = last.view().epoch();
        }
        if (!wasSettled) {
            last.settle(new Verdict.Superseded(next), List.of());
        }
        boolean isOnePart = view.transitionalSet(own).size() == view.size();
        if (wasSettled && isOnePart && !holders.isEmpty()) {
            owner.onLacking(lacking());
            next.settle(
                    holders.containsKey(own) ? new Verdict.Keep(new ArrayList<>(lacking())) : new Verdict.Pass(),
                    holding());
            sayHave();
        } else {
            holders.clear();
            long named = isComplete || target != null ? state : 0;
            owner.sendToAll(
                    new Status(next.id(), named, unlost, isComplete ? epoch : unlostEpoch, isComplete, isClean));
        }
        return next;
    }

    /** Settles a view without other parts: no other member was found, so this one's initial state is the group's. */
    void onJoined() {
        Cut present = cut;
        if (present != null && present.view().parts().isEmpty() && !present.isSettled()) {
            statuses.put(present.view().coordinator(), new Status(present.id(), 0, 0, 0, false, isClean));
            settle(present);
        }
    }

    void onStatus(Member sender, Status status) {
        Cut present = cut;
        if (present == null || present.isSettled() || !status.view().equals(present.id())) {
            return;
        }
        statuses.put(sender, status);
        if (statuses.size() == present.view().size()) {
            settle(present);
        }
    }

    void onHave(Member sender, Have have) {
        Cut present = cut;
        if (present == null || !have.view().equals(present.id())) {
            return;
        }
        if (!present.isSettled()) {
            early.put(sender, have);
        } else if (holders.containsValue(have.state())) {
            holders.put(sender, have.state());
            owner.onLacking(lacking());
        }
    }

    /**
     * Notes that this member is about to overwrite its state: from then on it can't go back to it.
     *
     * @return whether it may now: not while other members may rely on its status in this view
     */
    boolean onInstalling(Cut installing) {
        Cut present = cut;
        if (installing != target || present == null || !present.isSettled()) {
            return false;
        }
        isClean = false;
        unlost = 0;
        return true;
    }

    /**
     * Notes that this member has all of a state and is about to replace its own by it: installing and installed in one.
     */
    boolean onReplacing(Cut replacing) {
        return onInstalling(replacing) && onInstalled(replacing);
    }

    /**
     * Notes that this member has got the state of {@code installed}.
     *
     * @return false if it needs another one meanwhile
     */
    boolean onInstalled(Cut installed) {
        if (installed != target) {
            return false;
        }
        aim(null);
        isComplete = true;
        sayHave();
        return true;
    }

    /**
     * Lets a member start again at the present view when nobody can give the state of its cut; null if there is no
     * later view.
     */
    @Nullable Cut recut(Cut failed) {
        Cut present = cut;
        if (failed != target || present == null || present == failed || !present.isSettled() || present.holders().isEmpty()) {
            return null;
        }
        aim(present);
        return present;
    }

    /** Returns the cut whose state this member needs; null if it needs none. */
    @Nullable Cut target() {
        return target;
    }

    boolean isComplete() {
        return isComplete;
    }

    // ------------------------------------------------------------------ what is decided

    /** Decides, when the statuses of all members are known. */
    private void settle(Cut present) {
        TreeMap<Member, Long> having = having();
        if (having.isEmpty() && !found(present, having)) {
            present.settle(new Verdict.Pass(), List.of());
            owner.onLost("none of " + present.view().members() + " has the state of the group any more: all who had it are"
                    + " gone, and these were about to get it from them");
            return;
        }
        if (policy == StateOf.PRIMARY) {
            keepLatest(having);
        }
        long winner = winner(present, having);
        if (policy != StateOf.EACH) {
            having.values().removeIf(name -> name != winner);
        }
        holders.putAll(having);
        owner.onLacking(lacking());
        follow(present, winner);
        owner.onSettled(present);
        early.forEach(this::onHave);
        early.clear();
    }

    /**
     * Returns the members with a state to continue from, which may be one given up for a state that no member here has.
     */
    private TreeMap<Member, Long> having() {
        TreeSet<Long> complete = new TreeSet<>();
        for (Status status : statuses.values()) {
            if (status.isComplete()) {
                complete.add(status.state());
            }
        }
        TreeMap<Member, Long> having = new TreeMap<>();
        statuses.forEach((member, status) -> {
            if (status.isComplete()) {
                having.put(member, status.state());
            } else if (status.unlost() != 0 && !complete.contains(status.state())) {
                having.put(member, status.unlost());
            }
        });
        return having;
    }

    /**
     * Picks a founder if no member has a state: the first that has not begun to get one starts with its initial state.
     */
    private boolean found(Cut present, TreeMap<Member, Long> having) {
        for (Member member : present.view().members()) {
            Status status = statuses.get(member);
            if (status != null && status.isClean()) {
                having.put(member, present.id().mix(1));
                return true;
            }
        }
        return false;
    }

    /** Removes states that are behind: only those that were in the latest primary view continue. */
    private void keepLatest(TreeMap<Member, Long> having) {
        long latest = 0;
        for (Member member : having.keySet()) {
            latest = Math.max(latest, epochOf(member));
        }
        long last = latest;
        having.keySet().removeIf(member -> epochOf(member) < last);
    }

    private long epochOf(Member member) {
        Status status = statuses.get(member);
        return status == null ? 0 : status.epoch();
    }

    private long winner(Cut present, TreeMap<Member, Long> having) {
        Map<Long, Integer> members = new TreeMap<>();
        statuses.forEach((member, status) -> members.merge(having.getOrDefault(member, status.state()), 1, Integer::sum));
        long best = 0;
        int bestMembers = -1;
        for (Member member : present.view().members()) {
            Long name = having.get(member);
            int count = name == null || policy == StateOf.OLDEST ? 0 : members.getOrDefault(name, 0);
            if (name != null && count > bestMembers) {
                best = name;
                bestMembers = count;
            }
        }
        return best;
    }

    /** Applies the decision to this member. */
    private void follow(Cut present, long winner) {
        Member member = self;
        Long own = member == null ? null : holders.get(member);
        boolean isGettingIt = target != null && holders.containsValue(state);
        // Its status says that it is still getting it: the others wait for its word.
        boolean hasGotIt = isComplete && holders.containsValue(state);
        if (own != null) {
            state = own;
            epoch = isComplete ? epoch : unlostEpoch;
            unlost = 0;
            isComplete = true;
            isClean = false;
            aim(null);
            present.settle(new Verdict.Keep(new ArrayList<>(lacking())), holding());
        } else if (isGettingIt || hasGotIt) {
            present.settle(new Verdict.Pass(), holding());
            sayHave();
        } else {
            unlost = isComplete ? state : unlost;
            unlostEpoch = isComplete ? epoch : unlostEpoch;
            state = winner;
            isComplete = false;
            aim(present);
            present.settle(new Verdict.Install(), holding());
        }
    }

    private void aim(@Nullable Cut at) {
        target = at;
        owner.onTarget(at);
    }

    private void sayHave() {
        Cut present = cut;
        Member own = self;
        if (isComplete && own != null && present != null && present.isSettled() && !holders.containsKey(own)) {
            owner.sendToAll(new Have(present.id(), state));
        }
    }

    private TreeSet<Member> lacking() {
        Cut present = cut;
        TreeSet<Member> lacking = new TreeSet<>();
        if (present != null) {
            lacking.addAll(present.view().members());
            lacking.removeAll(holders.keySet());
        }
        return lacking;
    }

    /** Returns the members with the state that this member has or needs, by rank. */
    private List<Member> holding() {
        Cut present = cut;
        List<Member> holding = new ArrayList<>();
        if (present != null) {
            for (Member member : present.view().members()) {
                Long name = holders.get(member);
                if (name != null && name == state) {
                    holding.add(member);
                }
            }
        }
        return holding;
    }
}
