package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A member of the view as a sender: what of it has arrived and has no place in the order yet. */
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

    /** Its place in the view. */
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

    /** The head, which leaves the queue. */
    Packet take() {
        return queue.remove();
    }
}
