package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Outbox;
import dev.tutti.protocols.mistake.Mistake;
import java.util.Arrays;

/**
 * Total order by turns: all senders have one packet in each round, by rank (Jha and others, <i>Derecho: fast state machine
 * replication for cloud services</i>, 2019). Nobody decides; what has arrived decides. For many senders and high
 * throughput.
 *
 * <p>A packet is delivered when everybody who comes before it has sent its packet of that round, or has passed. Who has
 * sent nothing while others wait passes all rounds up to the latest that it has seen, with one word; who sends joins
 * that round, so that the slower do not hold back the faster. Rounds are a Lamport clock thus.
 */
public final class Rotation extends TotalOrder {

    /** Kind, places, round. */
    public static final int HEADER_BYTES = 1 + 8 + 8;

    private static final int ROUND_AT = 1 + 8;

    /**
     * How many rounds a packet may be beyond the one before it of its sender. Whoever lies needs 2^37 packets in one view to
     * come near the end of the range.
     */
    static final long JUMP_MAX = 1L << 26;

    /** The round that the next packet of each member has at least. */
    private long[] nextOf = {1};

    /** The round that the next packet of this member has at least. */
    private long next = 1;

    /** The latest packet by (round, rank) that has arrived. */
    private long latestRound;

    private int latestRank;

    public Rotation(Member self, boolean isSafe, Mistake mistake) {
        super(self, HEADER_BYTES, isSafe, mistake);
    }

    @Override
    void beforeData(Outbox out) {
        approach(latestRound, out);
    }

    /** Passes rounds in steps that the others take; one step is enough unless somebody lies. */
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
     * Rounds of a sender grow, and by no more than {@link #JUMP_MAX}. It is a matter of the sender's own packets alone, so
     * that all members judge alike.
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
            boolean isAfter = sender.rank() > lowest.rank() || mistake == Mistake.IGNORE_RANK;
            boolean isPast = nextRound > round || (nextRound == round && isAfter);
            if (sender.queued() == 0 && !isPast) {
                return mistake == Mistake.SKIP_SLOW && nextRound + 2 < round;
            }
        }
        return true;
    }

    @Override
    void placeRest() {
        // The order is in the packets; who has not sent any more is not waited for.
    }

    @Override
    long stamp(Sender sender, Packet head) {
        return head.peekLong(ROUND_AT);
    }

    /** Whether somebody's packet waits for this member to send or to pass, or for it to say how far it is. */
    @Override
    boolean isAwaited() {
        return super.isAwaited() || (next < passing() && mistake != Mistake.NO_PASS);
    }

    /** The round up to which this member has to pass. */
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
