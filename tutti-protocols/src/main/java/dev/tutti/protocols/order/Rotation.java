package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Outbox;
import java.util.Arrays;

/**
 * Total order by turns: all senders have one packet in each round, by rank (Jha and others, <i>Derecho: fast state
 * machine replication for cloud services</i>, 2019). No member decides: the packets received determine the order. For
 * many senders and high throughput.
 *
 * <p>A packet is delivered when each sender before it has sent its packet of that round, or has passed. A member with
 * nothing to send passes all rounds up to the latest that it has seen with one control packet, while others wait. A
 * member that sends joins that round, so that slow senders do not hold back fast ones. Rounds are thus a Lamport clock.
 */
public final class Rotation extends TotalOrder {

    /** Bytes of kind, places and round. */
    public static final int HEADER_BYTES = 1 + 8 + 8;

    private static final int ROUND_AT = 1 + 8;

    /**
     * Highest number of rounds from a packet of a sender to its next one. A liar needs 2^37 packets in one view to come
     * near the end of the range.
     */
    static final long JUMP_MAX = 1L << 26;

    /** Lowest round of the next packet of each member. */
    private long[] nextOf = {1};

    /** Lowest round of the next packet of this member. */
    private long next = 1;

    /** Round of the latest packet by (round, rank) that has arrived. */
    private long latestRound;

    private int latestRank;

    public Rotation(Member self, boolean isSafe) {
        super(self, HEADER_BYTES, isSafe);
    }

    @Override
    void beforeData(Outbox out) {
        approach(latestRound, out);
    }

    /** Passes rounds in steps that the others accept; one step is enough unless a member lies. */
    private void approach(long round, Outbox out) {
        while (round - next > JUMP_MAX) {
            next += JUMP_MAX;
            pass(out);
        }
    }

    @Override
    void stamp(Packet packet) {
        long round = Math.max(next, latestRound);
        next = round + 1;
        packet.prependLong(round);
        stampPlaces(packet);
    }

    @Override
    boolean onData(Sender sender, Packet packet) {
        long round = packet.peekLong(ROUND_AT);
        if (!isPossible(round, sender) || !notePlaces(sender, packet)) {
            return false;
        }
        nextOf[sender.rank()] = round + 1;
        if (round > latestRound) {
            latestRound = round;
            latestRank = sender.rank();
        } else if (round == latestRound) {
            latestRank = Math.max(latestRank, sender.rank());
        }
        sender.add(packet);
        return true;
    }

    /**
     * Returns whether a round is plausible: rounds of a sender grow, and by no more than {@link #JUMP_MAX}. This
     * depends on the sender's packets alone, so that all members judge alike.
     */
    private boolean isPossible(long round, Sender sender) {
        long least = nextOf[sender.rank()];
        return least <= round && round - least <= JUMP_MAX;
    }

    @Override
    boolean onControl(Sender sender, Packet packet, Outbox out) {
        long round = packet.peekLong(ROUND_AT);
        if (packet.length() != HEADER_BYTES || !isPossible(round, sender) || !notePlaces(sender, packet)) {
            return false;
        }
        nextOf[sender.rank()] = round;
        out.consumed(packet);
        return true;
    }

    @Override
    void placeAll() {
        Sender lowest = lowest();
        while (lowest != null && hasTurn(lowest)) {
            place(lowest);
            lowest = lowest();
        }
    }

    private boolean hasTurn(Sender lowest) {
        Packet head = lowest.head();
        long round = head == null ? Long.MAX_VALUE : head.peekLong(ROUND_AT);
        for (Sender sender : senders) {
            long nextRound = nextOf[sender.rank()];
            boolean isAfter = sender.rank() > lowest.rank();
            boolean isPast = nextRound > round || (nextRound == round && isAfter);
            if (sender.queued() == 0 && !isPast) {
                return false;
            }
        }
        return true;
    }

    @Override
    void placeRest() {
        // The order is in the packets. Members that sent no more are not waited for.
    }

    @Override
    long stamp(Sender sender, Packet head) {
        return head.peekLong(ROUND_AT);
    }

    /** Returns whether a packet waits for this member to send or to pass, or to report its places. */
    @Override
    boolean isAwaited() {
        return super.isAwaited() || next < passing();
    }

    /** Returns the round up to which this member has to pass. */
    private long passing() {
        return own().rank() < latestRank ? latestRound + 1 : latestRound;
    }

    @Override
    void speak(Outbox out) {
        approach(passing(), out);
        next = Math.max(next, passing());
        pass(out);
    }

    private void pass(Outbox out) {
        Packet packet = Packet.create(out.memory(), 0).prependLong(next);
        stampPlaces(packet);
        sendControl(packet, out);
    }

    @Override
    void begin() {
        super.begin();
        nextOf = new long[senders.length];
        Arrays.fill(nextOf, 1);
        next = 1;
        latestRound = 0;
        latestRank = 0;
    }
}
