package dev.tutti.blocks.internal;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The sides that were given up here and have not been brought in yet. Under their block's lock.
 *
 * @param <T> part of each to bring in
 */
public final class LostSides<T> {

    private final List<LostSide<T>> sides = new ArrayList<>();

    public void add(LostSide<T> side) {
        sides.add(side);
    }

    public void onView(View view, Member self) {
        sides.forEach(side -> side.onView(view, self));
    }

    /** Notes that another state goes on from the next view on, which the rest is to be brought into. */
    public void onInstalled() {
        sides.forEach(LostSide::onInstalled);
    }

    /** Notes that all of a side was brought in, by this member or another one. */
    public void onBroughtIn(String id) {
        sides.removeIf(side -> side.id().equals(id));
    }

    /** Returns the sides that {@code self} is to bring in now, once in each view. */
    public List<LostSide<T>> takeDue(View view, Member self) {
        List<LostSide<T>> due = sides.stream().filter(side -> side.isDue(view, self)).toList();
        due.forEach(side -> side.onSent(view));
        return due;
    }

    public boolean isEmpty() {
        return sides.isEmpty();
    }

    /** Returns the size of the rest that this member or another one is to bring in. */
    public long count(ToLongFunction<? super T> size) {
        return sides.stream().mapToLong(side -> size.applyAsLong(side.wanted())).sum();
    }
}
