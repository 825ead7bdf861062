package dev.tutti.sim.check;

import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages that one member has submitted for one receiver, or for all; their positions count from 0. */
final class Submissions {

    private final Numbers hashes = new Numbers();
    private final Numbers stays = new Numbers();
    private final List<@Nullable ViewId> deliveredIn = new ArrayList<>();

    /** @param stays number of views that the sender has installed */
    void add(long hash, int stays) {
        hashes.add(hash);
        this.stays.add(stays);
        deliveredIn.add(null);
    }

    int count() {
        return hashes.size();
    }

    boolean has(int position) {
        return 0 <= position && position < hashes.size();
    }

    long hash(int position) {
        return hashes.get(position);
    }

    /** Returns the number of views that the sender had installed when it submitted a message. */
    int stays(int position) {
        return (int) stays.get(position);
    }

    /** Returns the view in which a message was delivered last; null if no member has delivered it. */
    @Nullable ViewId deliveredIn(int position) {
        return deliveredIn.get(position);
    }

    void deliver(int position, ViewId view) {
        deliveredIn.set(position, view);
    }
}
