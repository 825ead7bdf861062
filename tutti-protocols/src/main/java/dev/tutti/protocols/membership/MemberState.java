package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import org.jspecify.annotations.Nullable;

/**
 * State of a member in the view change, with its transitions (spec/VIEWCHANGE.md, section 6).
 *
 * <pre>
 *             promise                    take
 *   Steady -------------> Answered -----------------> CatchingUp
 *     ^                    ^    ^                      |  |  |
 *     |                    |    +---- promise, retreat +  |  |
 *     |                    +-- install, ballot > view ----+  |
 *     +------------------------ install, ballot = view ------+
 * </pre>
 *
 * <p>States are immutable. Roles are separate: a member that coordinates has a state like any other one, and a {@link
 * Proposer} that runs its ballots.
 */
sealed interface MemberState {

    /** Returns the installed view. */
    View view();

    /** Returns the highest ballot that the member has answered or started, and the id of the view if none followed it. */
    ViewId promised();

    /** Returns whether the member sends and delivers in its view: it has promised nothing beyond it. */
    default boolean isSteady() {
        return this instanceof Steady;
    }

    /** Promises a ballot, which freezes the member until a view of this ballot or a later one is installed [R4, D4]. */
    default Answered promise(Promise promise) {
        return new Answered(view(), promise);
    }

    /**
     * Takes the view to come to if it is of the promised ballot, and the view of this member is one of those that it
     * follows [R8, D6].
     *
     * @return null if it does not count
     */
    @Nullable CatchingUp take(BallotMessage.Cut cut, Member self);

    /** Returns the view of the proposer of the promised ballot, which needs no record of it; null if unknown. */
    default @Nullable ViewId proposersView() {
        return null;
    }

    /** Drops the view to come to, since its ballot was refused. The promise remains. */
    default MemberState retreat() {
        return this;
    }

    /** Returns the name for reports. */
    String label();

    /**
     * Promise of a member.
     *
     * @param ballot the ballot that it has answered or started
     * @param proposersView view of the ballot's proposer, which needs no record of it in the answer; null if unknown
     */
    record Promise(ViewId ballot, @Nullable ViewId proposersView) {}

    /** Installed view without a later promise. */
    record Steady(View view) implements MemberState {

        @Override
        public ViewId promised() {
            return view.id();
        }

        /** Takes none: the only ballot that counts has ended with the view. */
        @Override
        public @Nullable CatchingUp take(BallotMessage.Cut cut, Member self) {
            return null;
        }

        @Override
        public String label() {
            return "steady";
        }
    }

    /** Frozen, and waiting for the decision of a ballot. */
    record Answered(View view, Promise promise) implements MemberState {

        @Override
        public ViewId promised() {
            return promise.ballot();
        }

        @Override
        public @Nullable ViewId proposersView() {
            return promise.proposersView();
        }

        /** Raises the promise to one that the member has made before its restart. */
        Answered raise(ViewId recorded) {
            return recorded.isAfter(promised()) ? new Answered(view, new Promise(recorded, null)) : this;
        }

        @Override
        public @Nullable CatchingUp take(BallotMessage.Cut cut, Member self) {
            return catchUp(view, promise, cut, self);
        }

        @Override
        public String label() {
            return "answered";
        }
    }

    /**
     * Frozen, and fetching the packets that are missing up to the cut.
     *
     * @param cut the view to come to, with the ages of its members
     * @param part its part that this member is in, with the numbers up to which packets are fetched
     */
    record CatchingUp(View view, Promise promise, BallotMessage.Cut cut, View.Part part) implements MemberState {

        @Override
        public ViewId promised() {
            return promise.ballot();
        }

        @Override
        public @Nullable CatchingUp take(BallotMessage.Cut other, Member self) {
            return catchUp(view, promise, other, self);
        }

        @Override
        public @Nullable ViewId proposersView() {
            return promise.proposersView();
        }

        @Override
        public Answered retreat() {
            return new Answered(view, promise);
        }

        /** Installs the view. If it is of an older ballot than the promised one, that one wants another answer [R9]. */
        MemberState install() {
            View installed = cut.view();
            return installed.id().equals(promised()) ? new Steady(installed) : new Answered(installed, promise);
        }

        @Override
        public String label() {
            return "catching-up";
        }
    }

    private static @Nullable CatchingUp catchUp(View view, Promise promise, BallotMessage.Cut cut, Member self) {
        View.Part part = cut.ballot().equals(promise.ballot()) ? cut.partOf(self, view.id()) : null;
        return part == null ? null : new CatchingUp(view, promise, cut, part);
    }
}
