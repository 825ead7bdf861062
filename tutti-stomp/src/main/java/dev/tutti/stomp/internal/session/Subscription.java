package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.broker.ResumePoint;
import dev.tutti.stomp.internal.broker.ServedGroup;
import dev.tutti.stomp.internal.codec.AckMode;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.FrameWriter;
import dev.tutti.stomp.internal.codec.StompVersion;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client's subscription to a destination. Belongs to its connection's thread. */
final class Subscription {

    /** A pass over the kept messages, up to the point from which deliveries continue by themselves. */
    static final class Replay {
        final ServedGroup group;
        final ResumePoint point;
        long position;
        boolean isDone;

        Replay(ServedGroup group, ResumePoint point) {
            this.group = group;
            this.point = point;
            this.position = group.history().start();
        }
    }

    private final Session session;
    private final @Nullable String id;
    private final int number;
    private final Destination destination;
    private final AckMode ackMode;
    private final byte[] prefix;

    /** Messages that wait for an ACK, oldest first. */
    private final Set<String> unacked = new LinkedHashSet<>();

    private List<Replay> replays = List.of();

    /**
     * @param id null in STOMP 1.0 if the client gives none
     * @param number unique on its connection
     */
    Subscription(
            Session session, @Nullable String id, int number, Destination destination, AckMode ackMode, StompVersion version) {
        this.session = session;
        this.id = id;
        this.number = number;
        this.destination = destination;
        this.ackMode = ackMode;
        StringBuilder head = new StringBuilder("MESSAGE\n");
        if (id != null) {
            FrameWriter.header(version, "subscription", id, head);
        }
        this.prefix = head.toString().getBytes(StandardCharsets.UTF_8);
    }

    Session session() {
        return session;
    }

    @Nullable String id() {
        return id;
    }

    int number() {
        return number;
    }

    Destination destination() {
        return destination;
    }

    AckMode ackMode() {
        return ackMode;
    }

    /** Returns the bytes that begin each of its MESSAGE frames. */
    byte[] prefix() {
        return prefix;
    }

    Set<String> unacked() {
        return unacked;
    }

    List<Replay> replays() {
        return replays;
    }

    void replays(List<Replay> going) {
        replays = going;
    }

    /** Returns whether the replay delivers this message, or has delivered it. */
    boolean isReplaying(Publication publication) {
        for (Replay replay : replays) {
            if (replay.group.index() == publication.group()) {
                return !replay.isDone || publication.position() < replay.position;
            }
        }
        return false;
    }

    /** Returns the ack header of a message of this subscription. */
    String ackId(String messageId) {
        return number + "/" + messageId;
    }

    /** Settles the messages that an ACK or NACK of one covers; returns their number, 0 if that one does not wait. */
    int settle(String messageId) {
        if (!unacked.contains(messageId)) {
            return 0;
        }
        if (ackMode == AckMode.CLIENT_INDIVIDUAL) {
            unacked.remove(messageId);
            return 1;
        }
        int count = 0;
        Iterator<String> oldest = unacked.iterator();
        boolean isFound = false;
        while (!isFound && oldest.hasNext()) {
            isFound = oldest.next().equals(messageId);
            oldest.remove();
            count++;
        }
        return count;
    }
}
