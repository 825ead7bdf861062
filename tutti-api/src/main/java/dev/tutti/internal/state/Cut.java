package dev.tutti.internal.state;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A view as a place among the messages, and what a member does when its listeners come there. */
public final class Cut {

    /** What a member does at a cut. */
    sealed interface Verdict {

        /** Goes on with its state, of which {@code newcomers} need a snapshot. */
        record Keep(List<Member> newcomers) implements Verdict {}

        /** Goes on with the state that it was getting when the view came. */
        record Pass() implements Verdict {}

        /** Gets a state from one of {@link #holders}. */
        record Install() implements Verdict {}

        /** The view was over before members knew whose state goes on; they find out in the next one. */
        record Superseded(Cut next) implements Verdict {}
    }

    private final View view;
    private final CutId id;

    /** Those who have a snapshot of this cut, if anybody needs one; by rank. Set with the verdict. */
    private volatile List<Member> holders = List.of();

    private volatile @Nullable Verdict verdict;

    Cut(View view) {
        this.view = view;
        this.id = CutId.of(view.id());
    }

    public View view() {
        return view;
    }

    CutId id() {
        return id;
    }

    /** Whether this member comes to it after {@code other}. */
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

    /** Null as long as it is not known. */
    @Nullable Verdict verdict() {
        return verdict;
    }

    /** The cut in whose view it became known what to do here; or will be. */
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
