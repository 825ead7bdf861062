package dev.tutti.blocks.internal;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The sides that were given up here and are not brought in again yet. Under their block's lock.
 *
 * @param <T> what is to be brought in of each
 */
public final class LostSides<T> {

    private final List<LostSide<T>> sides = new ArrayList<>();

    public void add(LostSide<T> side) {
        sides.add(side);
    }

    public void onView(View view, Member self) {
        sides.forEach(side -> side.onView(view, self));
    }

    /** Another state goes on from the next view on, in which what is still to be brought in meets it. */
    public void onInstalled() {
        sides.forEach(LostSide::onInstalled);
    }

    /** All of a side was brought in, by this member or another one. */
    public void onBroughtIn(String id) {
        sides.removeIf(side -> side.id().equals(id));
    }

    /** Those that {@code self} is to bring in now, once in each view. */
    public List<LostSide<T>> takeDue(View view, Member self) {
        List<LostSide<T>> due = sides.stream().filter(side -> side.isDue(view, self)).toList();
        due.forEach(side -> side.onSent(view));
        return due;
    }

    public boolean isEmpty() {
        return sides.isEmpty();
    }

    /** How much is to be brought in, by this member or another one. */
    public long count(ToLongFunction<? super T> size) {
        return sides.stream().mapToLong(side -> size.applyAsLong(side.wanted())).sum();
    }
}
