package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.stack.Report;
import java.util.ArrayDeque;

/** Datagrams that answer others and belong to no connection, or to one that has ended: until the end of the turn. */
final class Replies {

    /** A datagram that answers another one. */
    private record Reply(Endpoint to, Packet datagram) {}

    private static final int REPLIES_MAX = 1_024;
    private static final long RESETS_PER_SECOND = 1_000;
    private static final long RESETS_AT_ONCE = 100;

    private final Datagrams seals;
    private final Memory memory;
    private final ArrayDeque<Reply> replies = new ArrayDeque<>();
    private long resetTokens = RESETS_AT_ONCE;
    private long resetNanos;
    private long resetsSent;
    private long resetsHeldBack;
    private long dropped;

    Replies(Datagrams seals, Memory memory) {
        this.seals = seals;
        this.memory = memory;
    }

    void onStart(long nowNanos) {
        resetNanos = nowNanos;
    }

    /** Creates a datagram of a kind, for the caller to append to. */
    Packet create(int bytes, int kind) {
        return Packet.of(memory.acquire(bytes), 0, 0).appendInt(0).appendByte(kind);
    }

    /** Adds a reply, unless there are too many already. Ownership passes to the callee. */
    void add(Endpoint to, Packet datagram) {
        if (replies.size() >= REPLIES_MAX) {
            dropped++;
            datagram.release();
            return;
        }
        seals.seal(datagram);
        addSealed(to, datagram);
    }

    private void addSealed(Endpoint to, Packet datagram) {
        replies.add(new Reply(to, datagram));
    }

    /** Returns effects that collect the last datagrams of a connection that ends in the middle of an input. */
    DatagramEffects ofEnded() {
        return new LastWords();
    }

    private final class LastWords implements DatagramEffects {

        @Override
        public void resolve(String address) {
            throw new IllegalStateException("a connection resolves no address");
        }

        @Override
        public void send(Endpoint to, Packet datagram) {
            addSealed(to, datagram);
        }

        @Override
        public void multicast(Packet datagram) {
            throw new IllegalStateException("a connection does not multicast");
        }
    }

    /** Tells a sender that its connection is unknown, as far as the rate of such replies allows. */
    void reset(Endpoint to, long id, long nowNanos) {
        long gained = (nowNanos - resetNanos) / (1_000_000_000 / RESETS_PER_SECOND);
        if (gained > 0) {
            resetTokens = Math.min(RESETS_AT_ONCE, resetTokens + gained);
            resetNanos = nowNanos;
        }
        if (resetTokens == 0) {
            resetsHeldBack++;
            return;
        }
        resetTokens--;
        resetsSent++;
        add(to, create(Datagrams.RESET_BYTES, Datagrams.RESET).appendLong(id));
    }

    void drain(DatagramEffects effects) {
        Reply reply = replies.poll();
        while (reply != null) {
            effects.send(reply.to(), reply.datagram());
            reply = replies.poll();
        }
    }

    /** Returns the number of replies dropped because there were too many. */
    long dropped() {
        return dropped;
    }

    void reportResets(Report section) {
        section.put("resets-sent", resetsSent);
        section.put("resets-held-back", resetsHeldBack);
    }
}
