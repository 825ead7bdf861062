package dev.tutti.tomcat.replication;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What members tell each other about sessions. */
sealed interface SessionMessage {

    /**
     * A whole session.
     *
     * @param createdMillis wall clock of the member that created it; for applications to show, nothing rests on it
     * @param idleMillis since its last use
     * @param touched the version of the last use, whose origin is the session's primary
     */
    record Image(UUID uid, long createdMillis, long idleMillis, Version touched, Map<Field, Slot> slots)
            implements SessionMessage {

        /** The same session some time later, if nobody has used it. */
        Image aged(long millis) {
            return new Image(uid, createdMillis, idleMillis + millis, touched, slots);
        }

        /** Number of the latest view that one of its values is from. */
        long latestView() {
            long latest = 0;
            for (Slot slot : slots.values()) {
                latest = Math.max(latest, slot.version().view());
            }
            return latest;
        }
    }

    /** Changes of one version. Its writer has just used the session. */
    record Delta(UUID uid, Version version, List<Write> writes) implements SessionMessage {

        /** Whether the id of the session is among the changes. */
        boolean hasId() {
            return writes.stream().anyMatch(write -> write.change().field().equals(Field.ID));
        }
    }

    /**
     * A change and what it was made upon.
     *
     * @param basis the version of the value that it replaced at its writer; {@link Version#NONE} if there was none
     */
    record Write(Change change, Version basis) {}

    /** The sender has just used the session, and is its primary from now on. */
    record Access(UUID uid, Version version) implements SessionMessage {}

    record Remove(UUID uid, String key, Version version, EndReason reason) implements SessionMessage {}

    /** All messages to the group of this number and below have been handled. */
    record Ack(long number) implements SessionMessage {}

    /** Does anybody have the session with this key? */
    record Query(long query, String key) implements SessionMessage {}

    record Answer(long query, @Nullable Image image) implements SessionMessage {}

    /** Send the whole of a session, of which a change arrived and not the rest. */
    record ImageRequest(UUID uid) implements SessionMessage {}

    /**
     * Send the sessions that follow {@code after}, all if it is null.
     *
     * @param pull names the pull that the answer belongs to
     * @param viewNumber the view that brought the two together
     */
    record StateRequest(long pull, long viewNumber, @Nullable UUID after) implements SessionMessage {}

    /** Asks all others to say that what they have sent before is on its way; see {@link Contact}. */
    record Probe(long probe) implements SessionMessage {}

    /** Sent to all, so that it comes after what its sender has sent to all before; for the member with {@code origin}. */
    record ProbeAnswer(long probe, long origin) implements SessionMessage {}

    /** Some sessions, in order of their uids, and whether they are the last. */
    record StateChunk(long pull, List<Image> images, boolean isLast) implements SessionMessage {}
}
