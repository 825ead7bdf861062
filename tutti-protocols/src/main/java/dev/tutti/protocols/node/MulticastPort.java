package dev.tutti.protocols.node;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.Multicast;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends frames to all nodes at once, and tracks the nodes that receive them.
 *
 * <p>Reachability is never assumed: each node multicasts a beacon when it has sent nothing else for a heartbeat, and
 * each receiver tells the sender over the session when it begins to hear it, and when it no longer does. Where
 * multicast does not work, or only in one direction, no data is sent that way.
 */
final class MulticastPort {

    /** Silence, in heartbeats, after which a node is told that its multicasts are not heard. */
    private static final int SILENT_HEARTBEATS = 4;

    private final NodeId self;
    private final long cluster;
    private final Multicast multicast;
    private final Links links;
    private final Memory memory;
    private final EffectQueue effects;
    private final long heartbeatNanos;

    /** Keys of multicasts; null if they are not encrypted. */
    private final @Nullable MulticastKeys keys;

    /** Links with a session; never iterated. */
    private final HashMap<Long, Link> byIncarnation = new HashMap<>();

    private @Nullable Link last;
    private boolean isBeaconDue;
    private boolean isFromStranger;
    private long sentNanos;
    private long sent;
    private long beacons;
    private long received;
    private long foreign;
    private long stray;
    private long malformed;

    MulticastPort(
            NodeId self, String cluster, Multicast multicast, Links links, Memory memory, EffectQueue effects,
            long heartbeatNanos) {
        this.self = self;
        this.cluster = hash(cluster);
        this.multicast = multicast;
        this.links = links;
        this.memory = memory;
        this.effects = effects;
        this.heartbeatNanos = heartbeatNanos;
        byte[] secret = multicast.secret();
        this.keys = secret == null ? null : new MulticastKeys(secret, links, memory, heartbeatNanos);
    }

    int receiveBufferBytes() {
        return multicast.receiveBufferBytes();
    }

    /** Returns whether a frame of a group is short enough. */
    boolean fits(Packet frame) {
        return frame.length() + (keys == null ? HEADER_BYTES : 0) <= multicast.frameBytesMax();
    }

    /** Sends a frame. Ownership passes to the callee. */
    void send(Packet frame, long nowNanos) {
        sent++;
        sentNanos = nowNanos;
        effects.multicast(
                multicast,
                keys == null
                        ? frame.prependLong(self.incarnation()).prependLong(cluster)
                        : keys.current().seal(self.incarnation(), frame, memory));
    }

    private void beacon(long nowNanos) {
        beacons++;
        send(Packet.create(memory, 0), nowNanos);
    }

    void onOpened(Link link) {
        byIncarnation.put(link.node().incarnation(), link);
        link.multicast.heardNanos = Links.NEVER;
        link.multicast.isHeard = false;
        link.multicast.isReached = false;
        if (keys != null) {
            keys.onOpened(link);
        }
        // The beacon is not sent at once: the other side's session may open a moment later.
        isBeaconDue = true;
    }

    void onClosed(Link link) {
        byIncarnation.remove(link.node().incarnation(), link);
        link.multicast.isReached = false;
        if (keys != null) {
            keys.onClosed(link);
        }
        if (last == link) {
            last = null;
        }
    }

    /** Takes a frame of a session about keys. The caller releases it. */
    void onKeyFrame(Link link, int type, Packet frame) {
        if (keys == null) {
            malformed++;
        } else if (type == Frames.MULTICAST_KEY) {
            keys.onKey(link, frame);
        } else {
            keys.onTaken(link, frame);
        }
        if (frame.isMalformed()) {
            malformed++;
        }
    }

    void onTick(long nowNanos) {
        if (keys != null) {
            keys.onTick(nowNanos);
        }
        if (isBeaconDue || nowNanos - sentNanos >= heartbeatNanos) {
            isBeaconDue = false;
            beacon(nowNanos);
        }
        for (Link link : links.all()) {
            if (link.isOpen()
                    && link.multicast.isHeard
                    && nowNanos - link.multicast.heardNanos > SILENT_HEARTBEATS * heartbeatNanos) {
                tell(link, false);
            }
        }
    }

    private void tell(Link link, boolean isHeard) {
        link.multicast.isHeard = isHeard;
        links.send(link, Packet.create(memory, 2).appendByte(Frames.MULTICAST_HEARD).appendBoolean(isHeard));
    }

    /** Returns whether the frame that was received last is of a node of this cluster without a session. */
    boolean isFromStranger() {
        return isFromStranger;
    }

    /**
     * Takes the headers off a multicast and returns its sender's link; null if it is of no use, and is released.
     */
    @Nullable Link receive(Packet frame, long nowNanos) {
        // Where multicasts are encrypted, only nodes of the cluster have the key.
        long senderCluster = keys == null ? frame.takeLong() : cluster;
        long incarnation = frame.takeLong();
        received++;
        isFromStranger = false;
        Link link = null;
        if (frame.isMalformed()) {
            malformed++;
        } else if (senderCluster != cluster || incarnation == self.incarnation()) {
            foreign++;
        } else {
            link = find(incarnation);
            if (link == null) {
                stray++;
                isFromStranger = true;
            } else if (keys != null && !keys.open(link, frame)) {
                link = null;
            } else {
                link.multicast.heardNanos = nowNanos;
                if (!link.multicast.isHeard) {
                    tell(link, true);
                }
            }
        }
        if (link == null || !link.isOpen() || frame.isEmpty()) {
            frame.release();
            return null;
        }
        return link;
    }

    private @Nullable Link find(long incarnation) {
        Link recent = last;
        if (recent == null || recent.node().incarnation() != incarnation) {
            recent = byIncarnation.get(incarnation);
            last = recent;
        }
        return recent;
    }

    void onMalformed() {
        malformed++;
    }

    void report(Report report) {
        report.put("sent-frames", sent);
        report.put("beacons", beacons);
        report.put("received-frames", received);
        report.put("foreign", foreign);
        report.put("stray", stray);
        report.put("malformed", malformed);
        if (keys != null) {
            keys.report(report);
        }
    }

    /** Returns the 64-bit FNV-1a hash, which separates clusters that share a multicast address. It is no secret. */
    static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte value : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (value & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    /** Bytes of cluster and incarnation. */
    private static final int HEADER_BYTES = 16;
}
