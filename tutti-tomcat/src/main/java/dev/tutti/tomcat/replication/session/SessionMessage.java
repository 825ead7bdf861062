package dev.tutti.tomcat.replication.session;

import dev.tutti.tomcat.replication.Contact;
import dev.tutti.tomcat.replication.holders.Changes;
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

        /** Returns a number that is the same for two images whose values, and last use, have the same versions. */
        public long digest() {
            long digest = touched.mixedWith(0);
            for (Map.Entry<Field, Slot> entry : slots.entrySet()) {
                Field field = entry.getKey();
                digest += entry.getValue().version().mixedWith(31L * field.name().hashCode() + field.kind().ordinal());
            }
            return digest;
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

    // ---- only if some members hold a session; holders are named by their origins, see SessionVersion.originOf

    /**
     * A message about one session to its holders.
     *
     * @param holders all members that it was sent to
     */
    record Shared(List<Long> holders, SessionMessage message) implements SessionMessage {}

    /**
     * A copy of a session that moves because of a view, or of another primary.
     *
     * @param holders other members that have a copy, as far as the sender knows
     */
    record Moved(List<Long> holders, Image image) implements SessionMessage {}

    /** The sender has a copy of a session, whose versions add up to {@code digest}. */
    record Held(UUID uid, long digest, List<Long> holders) implements SessionMessage {}

    /** These members hold a session, too: what the receiver has sent of it has to go to them. */
    record Also(UUID uid, List<Long> holders) implements SessionMessage {}

    /**
     * The sender has no copy of a session.
     *
     * @param handled number of the receiver's last message that the sender had handled: a later one may have brought a copy
     */
    record Gone(UUID uid, long handled) implements SessionMessage {}

    /** The receiver's copy of a session is one too many, as of a view. */
    record Spare(UUID uid, long view) implements SessionMessage {}

    /**
     * Asks for the session with a key.
     *
     * @param isToAll whether all members are asked, because sessions are on the move; only the home of a session otherwise
     */
    record Fetch(long query, String key, boolean isToAll) implements SessionMessage {}

    /** Knowledge of a member about a session that it was asked for. The order is that of the wire format. */
    enum Knowledge {
        NONE,
        HERE,
        /** The sender is not the home of the session, and does not decide whether there is one. */
        NOT_HOME
    }

    /** Answers {@link Fetch}; with an image if the sender has the session. */
    record Given(long query, Knowledge knowledge, List<Long> holders, @Nullable Image image) implements SessionMessage {}

    /**
     * The sender has done its part of the moves that a view requires.
     *
     * @param stage 0: it is in the view, which it tells each other member before all that it sends to that one in it; 1: the homes know of its copies; 2: the sessions whose home it is have all their copies
     */
    record Settled(long view, int stage) implements SessionMessage {}

    /** The sender's machine is in this zone. Sent before {@link Settled} of stage 0 in each view, by members that have a zone. */
    record Zone(String name) implements SessionMessage {}

    /** Sessions that the receiver is to look for if their holders are gone. */
    record Watch(List<Watched> sessions) implements SessionMessage {}

    /** @param holders members that have a copy; none if the session has ended, or is watched by another member */
    record Watched(String key, List<Long> holders) {}
}
