package dev.tutti.tomcat.replication.codec;

import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Opens the decoder of session replication to the fuzzer. */
public final class ReplicationBytes {

    private ReplicationBytes() {}

    /** Decodes a message; returns its kind. */
    public static String decode(byte[] input) {
        try {
            return MessageReader.decode(input).message().getClass().getSimpleName();
        } catch (MalformedMessageException e) {
            return "refused";
        }
    }

    private static Map<Field, Slot> crowd(SessionVersion version) {
        Map<Field, Slot> crowd = new LinkedHashMap<>();
        for (int index = 0; index < 2_300; index++) {
            crowd.put(Field.attribute(Integer.toString(index, 36)), new Slot(version, null, false));
        }
        return crowd;
    }

    /** Largest number of fields and sessions in a message. */
    public static final int ELEMENTS_MAX = MessageReader.ELEMENTS_MAX;

    /** Returns one message of each kind. */
    public static List<byte[]> valid() {
        UUID uid = new UUID(1, 2);
        SessionVersion version = new SessionVersion(2, 3, 4);
        Map<Field, Slot> slots = new LinkedHashMap<>();
        slots.put(Field.attribute("cart"), new Slot(version, new byte[] {1, 2, 3}, true));
        slots.put(Field.MAX_INACTIVE, new Slot(version, new byte[] {0, 0, 0, 9}, false));
        slots.put(Field.note("gone"), new Slot(version, null, false));
        SessionMessage.Image image = new SessionMessage.Image(uid, 5, 6, version, slots);
        List<SessionMessage> messages = List.of(
                image,
                new SessionMessage.Delta(uid, version, List.of(
                        new SessionMessage.Write(new Change(Field.attribute("cart"), new byte[] {1, 2}, false), version),
                        new SessionMessage.Write(Change.removal(Field.ID), SessionVersion.NONE))),
                new SessionMessage.Access(uid, version),
                new SessionMessage.Remove(uid, "key", version, EndReason.values()[0]),
                new SessionMessage.Ack(7),
                new SessionMessage.Probe(7),
                new SessionMessage.ProbeAnswer(7, 8),
                new SessionMessage.Query(8, "key"),
                new SessionMessage.Answer(8, image),
                new SessionMessage.Answer(8, null),
                new SessionMessage.ImageRequest(uid),
                new SessionMessage.StateRequest(9, 10, uid),
                new SessionMessage.StateChunk(9, List.of(image, image), true),
                new SessionMessage.StateChunk(9, Collections.nCopies(1_200, new SessionMessage.Image(uid, 5, 6, version, Map.of())), true),
                new SessionMessage.Delta(uid, version, Collections.nCopies(
                        2_400,
                        new SessionMessage.Write(new Change(Field.attribute(""), new byte[0], false), SessionVersion.NONE))),
                new SessionMessage.Image(uid, 5, 6, version, crowd(version)));
        return messages.stream().map(message -> MessageWriter.encode(11, message)).toList();
    }
}
