package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.map.distributed.Report.Stage;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import org.jspecify.annotations.Nullable;

/** One shard as this member sees it. Under the lock of {@link Shards}, except for {@link #serving}. */
final class Shard {

    /** State of a shard's copy at this member. */
    sealed interface State {

        record Absent() implements State {}

        record Joining() implements State {}

        record Held(Copy copy) implements State {}

        /** No operation begins any more; those under way are waited for. */
        record Leaving(Copy copy) implements State {}
    }

    /** This member's service as home, in one view of the shard's group. */
    record Serving(Copy copy, ViewId view) {

        boolean isCurrent() {
            return copy.isIn(view);
        }
    }

    private final int number;
    private State state = new State.Absent();

    /** View that was told last; null without a copy, and before the first view. */
    private @Nullable View view;

    private @Nullable NodeId home;
    private volatile @Nullable Serving serving;
    private int running;
    private boolean isOpening;
    private boolean isKnown;

    Shard(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    State state() {
        return state;
    }

    @Nullable View view() {
        return view;
    }

    @Nullable NodeId home() {
        return home;
    }

    /** Returns this member's service; null if it does not serve the shard. From any thread. */
    @Nullable Serving serving() {
        return serving;
    }

    boolean isKnown() {
        return isKnown;
    }

    void onKnown() {
        isKnown = true;
    }

    /** Returns the copy that is held, and not about to be given up; null if there is none. */
    @Nullable Copy held() {
        return state instanceof State.Held(Copy copy) ? copy : null;
    }

    Stage stage() {
        return switch (state) {
            case State.Absent() -> Stage.ABSENT;
            case State.Joining() -> Stage.JOINING;
            case State.Held(Copy _) -> Stage.HELD;
            case State.Leaving(Copy _) -> Stage.LEAVING;
        };
    }

    // ------------------------------------------------------------------ the copy

    void onJoining() {
        check(state instanceof State.Absent, "joins");
        state = new State.Joining();
    }

    void onJoined(Copy copy) {
        check(state instanceof State.Joining, "has joined");
        state = new State.Held(copy);
    }

    void onLeaving() {
        Copy copy = held();
        if (copy == null) {
            throw new IllegalStateException(this + " leaves");
        }
        state = new State.Leaving(copy);
        serving = null;
    }

    /** Notes that the copy is gone, or could not be had. */
    void onGone() {
        state = new State.Absent();
        view = null;
        home = null;
        serving = null;
    }

    /** Takes a view of the shard's group. A home that goes on in the rest of its view has nothing to learn from others. */
    void onView(View next, NodeId self) {
        View before = view;
        Serving present = serving;
        view = next;
        home = Layout.home(number, next);
        if (present != null && before != null && self.equals(home) && Copy.isRest(before, next)) {
            serving = new Serving(present.copy(), next.id());
        } else {
            serving = null;
        }
    }

    // ------------------------------------------------------------------ the service

    /** Returns whether this member is home and does not serve yet. */
    boolean isToServe(NodeId self) {
        return held() != null && self.equals(home) && serving == null && !isOpening;
    }

    /** Returns whether the service is being prepared. */
    boolean isOpening() {
        return isOpening;
    }

    void onOpening() {
        isOpening = true;
    }

    /** Begins to serve in a view, if this is still the present one. */
    void onOpened(Copy copy, View in, boolean isReady) {
        isOpening = false;
        if (isReady && copy.equals(held()) && in.equals(view)) {
            isKnown = true;
            serving = new Serving(copy, in.id());
        }
    }

    /** Counts an operation that changes entries; the copy is not given up before its end. */
    void onBegun() {
        running++;
    }

    void onEnded() {
        running--;
    }

    boolean isIdle() {
        return running == 0;
    }

    private void check(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException(this + " " + what);
        }
    }

    @Override
    public String toString() {
        return "shard " + number + ", " + stage() + ", " + view;
    }
}
