package dev.tutti.blocks.internal;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.List;

/**
 * State of this member before it took over that of another side, as far as it is to be brought in again. All members of
 * the side keep it; the one with the lowest rank in the view brings it in, and when that is delivered all forget it.
 * Under its block's lock.
 *
 * @param <T> part of the state to bring in
 */
public final class LostSide<T> {

    private final View view;
    private final T wanted;

    /** Number of the view of the merge; 0 until it is reported. */
    private long mergedIn;

    /** Members that have come from that side together; if unknown, empty, and each brings in its own. */
    private List<Member> together = List.of();

    /** True if {@link #mergedIn} belongs to the state that goes on now. */
    private boolean isMet;

    /** Number of the view in which this member has brought it in; 0 for none. */
    private long sentIn;

    /** @param view from which this member comes */
    public LostSide(View view, T wanted) {
        this.view = view;
        this.wanted = wanted;
    }

    /** Returns an id, the same at all members that have come from that view. */
    public String id() {
        return view.id().toString() + view.id().proposer().node().incarnation();
    }

    public T wanted() {
        return wanted;
    }

    /** Returns the number of the view in which the sides have met. */
    public long mergedIn() {
        return mergedIn;
    }

    /** Notes that this member has come to {@code present} with the state that goes on. */
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
            // Not so after an intermediate view that nobody was told of because it was unknown whose state goes on.
            if (part.previous().equals(view.id()) && part.members().contains(self)) {
                return part.members();
            }
        }
        return List.of();
    }

    /** Notes that another state goes on from the next view on. */
    public void onInstalled() {
        isMet = false;
    }

    /** Returns whether {@code self} is to bring it in now. */
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
