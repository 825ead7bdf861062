package dev.tutti.blocks.internal;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.List;

/**
 * What this member had before it took over the state of another side, as far as it is to be brought in again. All members of
 * the side keep it; the one with the lowest rank in the view brings it in, and when that is delivered all forget it. Under
 * its block's lock.
 *
 * @param <T> what is to be brought in
 */
public final class LostSide<T> {

    private final View view;
    private final T wanted;

    /** The view of the merge; 0 until it is told. */
    private long mergedIn;

    /** Those who have come from that side together; empty if that is not known here, and each brings it in for itself. */
    private List<Member> together = List.of();

    /** Whether {@link #mergedIn} is of the state that goes on now. */
    private boolean isMet;

    /** The number of the view in which this member has brought it in; 0 for none. */
    private long sentIn;

    /** @param view that this member comes from */
    public LostSide(View view, T wanted) {
        this.view = view;
        this.wanted = wanted;
    }

    /** The same at all who have come from that view. */
    public String id() {
        return view.id().toString() + view.id().proposer().node().incarnation();
    }

    public T wanted() {
        return wanted;
    }

    /** The number of the view that the sides have met in. */
    public long mergedIn() {
        return mergedIn;
    }

    /** This member has come to {@code present} with the state that goes on. */
    public void onView(View present, Member self) {
        if (isMet) {
            return;
        }
        boolean isFirst = mergedIn == 0;
        isMet = true;
        mergedIn = present.id().number();
        if (isFirst) {
            together = together(present, self);
        }
    }

    private List<Member> together(View present, Member self) {
        for (View.Part part : present.parts()) {
            // Not so where there was a view in between that nobody was told because nobody knew whose state goes on.
            if (part.previous().equals(view.id()) && part.members().contains(self)) {
                return part.members();
            }
        }
        return List.of();
    }

    /** Another state goes on from the next view on. */
    public void onInstalled() {
        isMet = false;
    }

    /** Whether {@code self} is to bring it in now. */
    public boolean isDue(View present, Member self) {
        if (sentIn == present.id().number()) {
            return false;
        }
        for (Member member : present.members()) {
            if (together.contains(member)) {
                return member.equals(self);
            }
        }
        return true;
    }

    public void onSent(View present) {
        sentIn = present.id().number();
    }

    public void onUnsent() {
        sentIn = 0;
    }
}
