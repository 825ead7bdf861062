package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Member of the view as a sender, with its packets that have arrived and have no place in the order yet. */
final class Sender {

    private final Member member;
    private final int rank;
    private final ArrayDeque<Packet> queue = new ArrayDeque<>();

    Sender(Member member, int rank) {
        this.member = member;
        this.rank = rank;
    }

    Member member() {
        return member;
    }

    /** Returns its rank in the view. */
    int rank() {
        return rank;
    }

    int queued() {
        return queue.size();
    }

    void add(Packet packet) {
        queue.add(packet);
    }

    @Nullable Packet head() {
        return queue.peek();
    }

    /** Removes and returns the oldest packet. */
    Packet take() {
        return queue.remove();
    }
}
