package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.protocols.detection.Detector;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeats of this node and of the others: they show that a node lives, and carry the detector's observations. A
 * node that the detector gives up loses its session ({@code docs/design/detection.md}).
 */
final class Heartbeats {

    /** Ticks of the detector per heartbeat. */
    private static final int TICKS = 4;

    /** Reports in one heartbeat. A node that suspects more peers than this is itself the likely fault. */
    private static final int REPORTS_MAX = 32;

    /** Largest identity of a node in bytes: its number, and two texts of characters of three bytes. */
    private static final int NODE_BYTES_MAX = 8 + 2 * (4 + 3 * NodeId.TEXT_MAX);

    /** Minimum retransmission timeout of TCP (Linux): shorter silence is no evidence of loss. */
    private static final long DELAY_NANOS = 200_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final Links links;
    private final Detector detector;
    private final EffectQueue effects;
    private final long intervalNanos;
    private long tickNanos = NEVER;

    Heartbeats(Links links, Detector detector, EffectQueue effects, long intervalNanos) {
        this.links = links;
        this.detector = detector;
        this.effects = effects;
        this.intervalNanos = intervalNanos;
    }

    /** Returns the longest time between two heartbeats over an idle link. */
    long intervalNanos() {
        return intervalNanos;
    }

    void onStart(long now) {
        tickNanos = now + intervalNanos / TICKS;
    }

    void stop() {
        tickNanos = NEVER;
    }

    /** Makes the next tick due at once. */
    void hurry(long now) {
        tickNanos = now;
    }

    long nextDeadline() {
        return tickNanos;
    }

    /** Begins a turn of the node, which may come late: then silence of the others is no evidence. */
    void onTurn(long now) {
        if (tickNanos != NEVER && now - tickNanos > intervalNanos / 2) {
            effects.event(new NodeEvents.Late(now - tickNanos));
            detector.onLate(now);
            tickNanos = now;
        }
    }

    /** @param multicast port that has work at each tick; null where there are no multicasts */
    void onTimer(long now, @Nullable MulticastPort multicast) {
        if (tickNanos <= now) {
            tick(now, multicast);
        }
    }

    private void tick(long now, @Nullable MulticastPort multicast) {
        tickNanos = now + intervalNanos / TICKS;
        for (Link link : links.open()) {
            detector.onHeard(link.node(), link.heardNanos());
            if (now - link.heardNanos() >= intervalNanos + Math.max(intervalNanos / 2, DELAY_NANOS)) {
                links.onSilent(link);
            }
        }
        List<Detector.Verdict> verdicts = detector.onTick(now);
        if (multicast != null) {
            multicast.onTick(now);
        }
        Detector.Observations observations = detector.observations();
        boolean isChanged = detector.takeChanged();
        for (Link link : links.open()) {
            boolean isIdle = now - link.sentNanos() >= intervalNanos;
            boolean isUnconfirmed =
                    link.isConfirmationDue() && now - link.confirmedNanos() >= intervalNanos;
            if (link.isConnected() && (isChanged || isIdle || isUnconfirmed)) {
                send(link, observations);
            }
        }
        // All others hear of a verdict before its consequences.
        execute(verdicts);
    }

    private void execute(List<Detector.Verdict> verdicts) {
        for (Detector.Verdict verdict : verdicts) {
            Link link = links.link(verdict.node());
            if (link != null && link.isOpen()) {
                effects.event(new NodeEvents.Suspected(verdict.node(), verdict.reason()));
                links.close(link, false, verdict.reason());
            }
        }
    }

    private void send(Link link, Detector.Observations observations) {
        int bytes = bytes(observations.silent())
                + bytes(observations.judged())
                + bytes(observations.gone())
                + bytes(observations.strangers());
        Packet heartbeat = links.heartbeat(link, bytes);
        append(heartbeat, observations.silent());
        append(heartbeat, observations.judged());
        append(heartbeat, observations.gone());
        append(heartbeat, observations.strangers());
        links.sendHeartbeat(link, heartbeat);
    }

    private static int bytes(Collection<NodeId> nodes) {
        return 4 + Math.min(nodes.size(), REPORTS_MAX) * NODE_BYTES_MAX;
    }

    /** Appends the first nodes, as many as one heartbeat takes. */
    private static void append(Packet heartbeat, Collection<NodeId> nodes) {
        heartbeat.appendInt(Math.min(nodes.size(), REPORTS_MAX));
        int left = REPORTS_MAX;
        for (NodeId node : nodes) {
            if (left == 0) {
                return;
            }
            left--;
            Wire.append(heartbeat, node);
        }
    }

    /**
     * Takes the heartbeat of another node. The packet is only read.
     *
     * @return the nodes whose processes it says to be gone, which are to be checked
     */
    List<NodeId> onHeartbeat(Link link, Packet heartbeat, long now) {
        Detector.Observations said = new Detector.Observations(
                takeNodes(heartbeat), takeNodes(heartbeat), takeNodes(heartbeat), takeNodes(heartbeat));
        if (heartbeat.isMalformed()) {
            return List.of();
        }
        NodeId watcher = link.node();
        List<NodeId> told = detector.onTold(watcher, said.gone(), now);
        execute(detector.onReports(watcher, said, now));
        if (detector.isChanged()) {
            // A verdict may wait for this node's statement that it has never met the reported one.
            hurry(now);
        }
        return told;
    }

    private static List<NodeId> takeNodes(Packet heartbeat) {
        int count = heartbeat.takeCount(16);
        if (count > REPORTS_MAX) {
            heartbeat.markMalformed();
            count = 0;
        }
        List<NodeId> nodes = new ArrayList<>(count);
        for (int index = 0; index < count && !heartbeat.isMalformed(); index++) {
            nodes.add(Wire.takeNode(heartbeat));
        }
        return nodes;
    }
}
