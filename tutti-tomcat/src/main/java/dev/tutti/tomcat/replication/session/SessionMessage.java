package dev.tutti.tomcat.replication.session;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Message between members about sessions. */
public sealed interface SessionMessage {

    /**
     * A whole session.
     *
     * @param createdMillis wall clock of the member that created it; for applications, and to order namesakes
     * @param idleMillis time since its last use
     * @param touched the version of the last use, whose origin is the session's primary
     */
    record Image(UUID uid, long createdMillis, long idleMillis, SessionVersion touched, Map<Field, Slot> slots)
            implements SessionMessage {

        /** Returns the same session {@code millis} later, if nobody has used it meanwhile. */
        public Image aged(long millis) {
            return new Image(uid, createdMillis, idleMillis + millis, touched, slots);
        }

        /** Returns the id that the client has; empty if there is none. */
        public String id() {
            Slot slot = slots.get(Field.ID);
            byte[] content = slot == null ? null : slot.content();
            return content == null ? "" : new String(content, StandardCharsets.UTF_8);
        }

        /** Returns the number of the latest view that one of its values is from. */
        public long latestView() {
            long latest = 0;
            for (Slot slot : slots.values()) {
                latest = Math.max(latest, slot.version().view());
            }
            return latest;
        }
    }

    /** Changes with one version, whose writer has just used the session. */
    record Delta(UUID uid, SessionVersion version, List<Write> writes) implements SessionMessage {

        /** Returns whether the id of the session is among the changes. */
        public boolean hasId() {
            return writes.stream().anyMatch(write -> write.change().field().equals(Field.ID));
        }
    }

    /**
     * A change and the version that it was based on.
     *
     * @param basis the version of the value that it replaced at its writer; {@link SessionVersion#NONE} if there was none
     */
    record Write(Change change, SessionVersion basis) {}

    /** The sender has just used the session, and is its primary from now on. */
    record Access(UUID uid, SessionVersion version) implements SessionMessage {}

    record Remove(UUID uid, String key, SessionVersion version, EndReason reason) implements SessionMessage {}

    /** Acknowledges that all messages to the group up to {@code number} have been handled. */
    record Ack(long number) implements SessionMessage {}

    /** Asks all others for the session with this key. */
    record Query(long query, String key) implements SessionMessage {}

    record Answer(long query, @Nullable Image image) implements SessionMessage {}

    /** Asks for a whole session, of which a change arrived before the rest. */
    record ImageRequest(UUID uid) implements SessionMessage {}

    /**
     * Asks for the sessions that follow {@code after}; for all if it is null.
     *
     * @param pull number of the pull that the answer belongs to
     * @param viewNumber number of the view that brought the two members together
     */
    record StateRequest(long pull, long viewNumber, @Nullable UUID after) implements SessionMessage {}

    /** Asks all others for an answer that follows all that they have sent before; see {@code Contact}. */
    record Probe(long probe) implements SessionMessage {}

    /** Answers the member with {@code origin}; sent to all, so that it follows its sender's earlier messages. */
    record ProbeAnswer(long probe, long origin) implements SessionMessage {}

    /** Some sessions, in order of their uids, and whether they are the last. */
    record StateChunk(long pull, List<Image> images, boolean isLast) implements SessionMessage {}
}
