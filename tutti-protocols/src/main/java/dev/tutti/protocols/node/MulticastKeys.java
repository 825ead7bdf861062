package dev.tutti.protocols.node;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.crypto.KeySchedule;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.MulticastKey;
import dev.tutti.protocols.datagram.PeerMulticastKey;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keys of multicasts: the one of this node, which it gives to each peer over their encrypted session, and those of its
 * peers.
 *
 * <p>When the session with a peer ends for good, the node makes another key, which the peer can't know, and gives it to
 * the remaining ones. It uses the key when all of them have confirmed it, or after {@link #CHANGE_HEARTBEATS}. A peer
 * that has not got it by then misses multicasts, which are repaired over its session. Receivers keep the key before for
 * what is under way.
 */
final class MulticastKeys {

    /** Heartbeats after which a new key is used although peers have not confirmed it. */
    private static final int CHANGE_HEARTBEATS = 2;

    /** Keys between this node and one peer. */
    private static final class Peer {

        @Nullable PeerMulticastKey latest;
        @Nullable PeerMulticastKey before;

        /** Number of the newest key of this node that the peer has confirmed. */
        int confirmed;
    }

    private final Links links;
    private final Memory memory;
    private final long patienceNanos;

    /** By incarnation; never iterated. */
    private final HashMap<Long, Peer> peers = new HashMap<>();

    /** Secret of the keys to come. Those before can't be derived from it. */
    private byte[] root;

    private int drawn;
    private MulticastKey current;
    private @Nullable MulticastKey next;
    private boolean isChangeDue;
    private long changeNanos = Links.NEVER;
    private long changes;
    private long unknown;
    private long replayed;
    private long forged;

    /**
     * @param secret from which keys are derived
     */
    MulticastKeys(byte[] secret, Links links, Memory memory, long heartbeatNanos) {
        this.root = secret;
        this.links = links;
        this.memory = memory;
        this.patienceNanos = CHANGE_HEARTBEATS * heartbeatNanos;
        this.current = draw();
    }

    private MulticastKey draw() {
        byte[] secret = KeySchedule.derive(root, "multicast key", KeySchedule.SECRET_BYTES);
        root = KeySchedule.derive(root, "multicast root", KeySchedule.SECRET_BYTES);
        return new MulticastKey(++drawn, secret);
    }

    // ------------------------------------------------------------------ sessions

    void onOpened(Link link) {
        peers.put(link.node().incarnation(), new Peer());
        give(link, current);
        MulticastKey coming = next;
        if (coming != null) {
            give(link, coming);
        }
    }

    void onClosed(Link link) {
        if (peers.remove(link.node().incarnation()) != null) {
            isChangeDue = true;
        }
    }

    private void give(Link link, MulticastKey key) {
        links.send(link, key.appendTo(
                Packet.create(memory, 1 + Integer.BYTES + KeySchedule.SECRET_BYTES).appendByte(Frames.MULTICAST_KEY)));
    }

    /** Takes a peer's key, and confirms it. */
    void onKey(Link link, Packet frame) {
        PeerMulticastKey key = PeerMulticastKey.take(frame);
        Peer peer = peers.get(link.node().incarnation());
        PeerMulticastKey known = peer == null ? null : peer.latest;
        if (peer == null || frame.isMalformed() || known != null && key.number() <= known.number()) {
            return;
        }
        peer.before = known;
        peer.latest = key;
        links.send(link, Packet.create(memory, 1 + Integer.BYTES)
                .appendByte(Frames.MULTICAST_KEY_TAKEN)
                .appendInt(key.number()));
    }

    void onTaken(Link link, Packet frame) {
        int number = frame.takeInt();
        Peer peer = peers.get(link.node().incarnation());
        if (peer != null && !frame.isMalformed() && number <= drawn) {
            peer.confirmed = Math.max(peer.confirmed, number);
        }
    }

    void onTick(long nowNanos) {
        if (isChangeDue) {
            isChangeDue = false;
            changeNanos = next == null ? nowNanos + patienceNanos : changeNanos;
            MulticastKey coming = draw();
            next = coming;
            for (Link link : links.open()) {
                give(link, coming);
            }
        }
        MulticastKey coming = next;
        if (coming != null && (changeNanos <= nowNanos || isConfirmed(coming))) {
            current = coming;
            next = null;
            changeNanos = Links.NEVER;
            changes++;
        }
    }

    private boolean isConfirmed(MulticastKey key) {
        for (Link link : links.open()) {
            Peer peer = peers.get(link.node().incarnation());
            if (peer != null && peer.confirmed < key.number()) {
                return false;
            }
        }
        return true;
    }

    // ------------------------------------------------------------------ multicasts

    /** Returns the key for a multicast of this node. */
    MulticastKey current() {
        return current;
    }

    /**
     * Decrypts a multicast of a peer in place, of which the incarnation has been taken.
     *
     * @return false if it is of no use, which is counted
     */
    boolean open(Link link, Packet datagram) {
        int number = datagram.takeInt();
        long datagramNumber = datagram.takeLong();
        Peer peer = peers.get(link.node().incarnation());
        PeerMulticastKey key = peer == null || datagram.isMalformed() ? null : key(peer, number);
        if (key == null) {
            unknown++;
            return false;
        }
        return switch (key.open(datagramNumber, datagram)) {
            case OPENED -> true;
            case REPLAYED -> {
                replayed++;
                yield false;
            }
            case FORGED -> {
                forged++;
                yield false;
            }
        };
    }

    private static @Nullable PeerMulticastKey key(Peer peer, int number) {
        PeerMulticastKey latest = peer.latest;
        if (latest != null && latest.number() == number) {
            return latest;
        }
        PeerMulticastKey before = peer.before;
        return before != null && before.number() == number ? before : null;
    }

    void report(Report report) {
        report.put("key-changes", changes);
        report.put("unknown-key", unknown);
        report.put("replayed", replayed);
        report.put("forged", forged);
    }
}
