package dev.tutti.internal.state;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.delivery.Item;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A view as a place among the messages, with this member's verdict for the time when its listeners come there. */
public final class Cut implements Item.ViewChange {

    /** Action of a member at a cut. */
    sealed interface Verdict {

        /** Continues with its state; {@code newcomers} need a snapshot of it. */
        record Keep(List<Member> newcomers) implements Verdict {}

        /** Continues with the state that it was getting when the view came. */
        record Pass() implements Verdict {}

        /** Gets a state from one of {@link #holders}. */
        record Install() implements Verdict {}

        /** The view was over before members knew whose state continues; they decide in the next one. */
        record Superseded(Cut next) implements Verdict {}
    }

    private final View view;
    private final CutId id;

    /** Members that have a snapshot of this cut, by rank, if any member needs one. Set with the verdict. */
    private volatile List<Member> holders = List.of();

    private volatile @Nullable Verdict verdict;

    Cut(View view) {
        this.view = view;
        this.id = CutId.of(view.id());
    }

    @Override
    public View view() {
        return view;
    }

    CutId id() {
        return id;
    }

    /** Returns whether this member comes to this cut after {@code other}. */
    boolean isAfter(Cut other) {
        return id.number() > other.id.number();
    }

    boolean isSettled() {
        return verdict != null;
    }

    List<Member> holders() {
        return holders;
    }

    void settle(Verdict settled, List<Member> having) {
        holders = List.copyOf(having);
        verdict = settled;
    }

    /** Returns the verdict; null while it is not known. */
    @Nullable Verdict verdict() {
        return verdict;
    }

    /** Returns the cut in whose view the action for this cut was, or will be, decided. */
    Cut decisive() {
        Cut at = this;
        while (at.verdict instanceof Verdict.Superseded superseded) {
            at = superseded.next();
        }
        return at;
    }

    @Override
    public String toString() {
        return "cut " + view.id();
    }
}
