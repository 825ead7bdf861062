package dev.tutti.tomcat.replication.codec;

import dev.tutti.core.settings.NodeAttributes;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionMessage.Access;
import dev.tutti.tomcat.replication.session.SessionMessage.Ack;
import dev.tutti.tomcat.replication.session.SessionMessage.Answer;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.ImageRequest;
import dev.tutti.tomcat.replication.session.SessionMessage.Probe;
import dev.tutti.tomcat.replication.session.SessionMessage.ProbeAnswer;
import dev.tutti.tomcat.replication.session.SessionMessage.Query;
import dev.tutti.tomcat.replication.session.SessionMessage.Remove;
import dev.tutti.tomcat.replication.session.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.session.SessionMessage.StateRequest;
import dev.tutti.tomcat.replication.session.SessionMessage.Write;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decodes what {@link MessageWriter} encodes. Whatever the bytes are, it allocates in proportion to their number, and
 * either returns a message or throws {@link MalformedMessageException}.
 */
public final class MessageReader {

    private static final Field.Kind[] KINDS = Field.Kind.values();
    private static final EndReason[] REASONS = EndReason.values();
    private static final SessionMessage.Knowledge[] KNOWLEDGE = SessionMessage.Knowledge.values();
    private static final byte[] NOTHING = {};
    private static final int KIND_OFFSET = 1 + Long.BYTES;
    private static final int FIELD_BYTES_MIN = 1 + 4;
    private static final int SLOT_BYTES_MIN = FIELD_BYTES_MIN + 24 + 1 + 4;
    private static final int WRITE_BYTES_MIN = SLOT_BYTES_MIN;
    private static final int WATCHED_BYTES_MIN = 4 + 4;
    private static final int IMAGE_BYTES_MIN = 16 + 8 + 8 + 24 + 4;

    /** Maximum number of fields and images in a message: each takes several objects, however short it is. */
    static final int ELEMENTS_MAX = 1 << 16;

    private final ByteBuffer bytes;
    private final long number;
    private int elements;

    private MessageReader(byte[] message) throws MalformedMessageException {
        bytes = ByteBuffer.wrap(message);
        byte format = takeByte();
        if (format != MessageWriter.FORMAT) {
            throw new MalformedMessageException(
                    "message of format " + format + ", this version knows " + MessageWriter.FORMAT);
        }
        number = takeLong();
    }

    /** A message and its number, which is 0 unless it was sent to the group. */
    public record Numbered(long number, SessionMessage message) {}

    public static Numbered decode(byte[] message) throws MalformedMessageException {
        MessageReader reader = new MessageReader(message);
        SessionMessage decoded = reader.takeMessage();
        if (reader.bytes.hasRemaining()) {
            throw new MalformedMessageException(reader.bytes.remaining() + " bytes after the end of a message");
        }
        return new Numbered(reader.number, decoded);
    }

    /** Returns the view that the sender of a message has just entered, if that is what the message says; 0 otherwise. */
    public static long enteredView(byte[] message) {
        if (message.length <= KIND_OFFSET || message[KIND_OFFSET] != MessageWriter.SETTLED) {
            return 0;
        }
        try {
            return decode(message).message() instanceof SessionMessage.Settled settled && settled.stage() == 0 ? settled.view() : 0;
        } catch (MalformedMessageException e) {
            return 0;
        }
    }

    private SessionMessage takeMessage() throws MalformedMessageException {
        byte kind = takeByte();
        return switch (kind) {
            case MessageWriter.IMAGE -> takeImage();
            case MessageWriter.DELTA -> new Delta(takeUid(), takeVersion(), takeWrites());
            case MessageWriter.ACCESS -> new Access(takeUid(), takeVersion());
            case MessageWriter.REMOVE -> new Remove(takeUid(), takeText(), takeVersion(), takeReason());
            case MessageWriter.ACK -> new Ack(takeLong());
            case MessageWriter.QUERY -> new Query(takeLong(), takeText());
            case MessageWriter.ANSWER -> new Answer(takeLong(), takeFlag() ? takeImage() : null);
            case MessageWriter.IMAGE_REQUEST -> new ImageRequest(takeUid());
            case MessageWriter.STATE_REQUEST -> new StateRequest(takeLong(), takeLong(), takeFlag() ? takeUid() : null);
            case MessageWriter.STATE_CHUNK -> takeChunk();
            case MessageWriter.PROBE -> new Probe(takeLong());
            case MessageWriter.PROBE_ANSWER -> new ProbeAnswer(takeLong(), takeLong());
            case MessageWriter.SHARED -> takeShared();
            case MessageWriter.HELD -> new SessionMessage.Held(takeUid(), takeLong(), takeOrigins());
            case MessageWriter.ALSO -> new SessionMessage.Also(takeUid(), takeOrigins());
            case MessageWriter.GONE -> new SessionMessage.Gone(takeUid(), takeLong());
            case MessageWriter.SPARE -> new SessionMessage.Spare(takeUid(), takeLong());
            case MessageWriter.FETCH -> takeFetch();
            case MessageWriter.GIVEN ->
                new SessionMessage.Given(takeLong(), takeConstant(KNOWLEDGE), takeOrigins(), takeFlag() ? takeImage() : null);
            case MessageWriter.SETTLED -> takeSettled();
            case MessageWriter.WATCH -> takeWatch();
            case MessageWriter.ZONE -> takeZone();
            case MessageWriter.MOVED -> new SessionMessage.Moved(takeOrigins(), takeBases(takeImage()));
            default -> throw new MalformedMessageException("message of unknown kind " + kind);
        };
    }

    /** Reads the version on which each value of an image is based. */
    private Image takeBases(Image image) throws MalformedMessageException {
        Map<Field, Slot> slots = new LinkedHashMap<>();
        for (Map.Entry<Field, Slot> entry : image.slots().entrySet()) {
            Slot slot = entry.getValue();
            slots.put(entry.getKey(), new Slot(slot.version(), slot.content(), slot.isListening(), takeVersion()));
        }
        return new Image(image.uid(), image.createdMillis(), image.idleMillis(), image.touched(), slots);
    }

    private SessionMessage takeShared() throws MalformedMessageException {
        List<Long> holders = takeOrigins();
        need(1);
        byte kind = bytes.get(bytes.position());
        if (kind == MessageWriter.SHARED) {
            throw new MalformedMessageException("a message to holders in a message to holders");
        }
        return new SessionMessage.Shared(holders, takeMessage());
    }

    private SessionMessage takeFetch() throws MalformedMessageException {
        long query = takeLong();
        boolean isToAll = takeFlag();
        return new SessionMessage.Fetch(query, takeText(), isToAll);
    }

    private SessionMessage takeSettled() throws MalformedMessageException {
        long view = takeLong();
        need(4);
        int stage = bytes.getInt();
        if (stage < 0 || stage > 2) {
            throw new MalformedMessageException("stage " + stage + " of moves, which have 0 to 2");
        }
        return new SessionMessage.Settled(view, stage);
    }

    private SessionMessage takeZone() throws MalformedMessageException {
        String name = takeText();
        if (name.length() > NodeAttributes.VALUE_MAX) {
            throw new MalformedMessageException("a zone of " + name.length() + " characters, at most " + NodeAttributes.VALUE_MAX);
        }
        return new SessionMessage.Zone(name);
    }

    private SessionMessage takeWatch() throws MalformedMessageException {
        int count = takeElements(WATCHED_BYTES_MIN);
        List<SessionMessage.Watched> sessions = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            sessions.add(new SessionMessage.Watched(takeText(), takeOrigins()));
        }
        return new SessionMessage.Watch(sessions);
    }

    private List<Long> takeOrigins() throws MalformedMessageException {
        int count = takeElements(Long.BYTES);
        List<Long> origins = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            origins.add(takeLong());
        }
        return origins;
    }

    private StateChunk takeChunk() throws MalformedMessageException {
        long pull = takeLong();
        boolean isLast = takeFlag();
        int count = takeElements(IMAGE_BYTES_MIN);
        List<Image> images = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            images.add(takeImage());
        }
        return new StateChunk(pull, images, isLast);
    }

    private Image takeImage() throws MalformedMessageException {
        UUID uid = takeUid();
        long createdMillis = takeLong();
        long idleMillis = takeLong();
        if (idleMillis < 0) {
            throw new MalformedMessageException("idle time of " + idleMillis + " ms");
        }
        SessionVersion touched = takeVersion();
        int count = takeElements(SLOT_BYTES_MIN);
        Map<Field, Slot> slots = new LinkedHashMap<>();
        for (int index = 0; index < count; index++) {
            Field field = takeField();
            SessionVersion version = takeVersion();
            boolean isListening = takeFlag();
            slots.put(field, new Slot(version, takeContent(), isListening));
        }
        return new Image(uid, createdMillis, idleMillis, touched, slots);
    }

    private List<Write> takeWrites() throws MalformedMessageException {
        int count = takeElements(WRITE_BYTES_MIN);
        List<Write> writes = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            Field field = takeField();
            SessionVersion basis = takeVersion();
            boolean isListening = takeFlag();
            writes.add(new Write(new Change(field, takeContent(), isListening), basis));
        }
        return writes;
    }

    private Field takeField() throws MalformedMessageException {
        return new Field(takeConstant(KINDS), takeText());
    }

    private EndReason takeReason() throws MalformedMessageException {
        return takeConstant(REASONS);
    }

    private <E extends Enum<E>> E takeConstant(E[] constants) throws MalformedMessageException {
        byte ordinal = takeByte();
        if (ordinal < 0 || ordinal >= constants.length) {
            throw new MalformedMessageException(
                    ordinal + " is none of " + constants.length + " " + constants[0].getDeclaringClass().getSimpleName());
        }
        return constants[ordinal];
    }

    private SessionVersion takeVersion() throws MalformedMessageException {
        long view = takeLong();
        long counter = takeLong();
        if (view < 0 || counter < 0) {
            throw new MalformedMessageException("version " + counter + " of view " + view);
        }
        return new SessionVersion(view, counter, takeLong());
    }

    private UUID takeUid() throws MalformedMessageException {
        return new UUID(takeLong(), takeLong());
    }

    private String takeText() throws MalformedMessageException {
        return new String(takeBytes(takeCount(1)), StandardCharsets.UTF_8);
    }

    private byte @Nullable [] takeContent() throws MalformedMessageException {
        need(4);
        if (bytes.getInt(bytes.position()) == -1) {
            bytes.getInt();
            return null;
        }
        return takeBytes(takeCount(1));
    }

    private byte[] takeBytes(int count) throws MalformedMessageException {
        need(count);
        if (count == 0) {
            return NOTHING;
        }
        byte[] taken = new byte[count];
        bytes.get(taken);
        return taken;
    }

    /** Reads a count of things of at least {@code bytesEach} bytes, and checks that so many bytes are left. */
    private int takeCount(int bytesEach) throws MalformedMessageException {
        need(4);
        int count = bytes.getInt();
        if (count < 0 || count > bytes.remaining() / bytesEach) {
            throw new MalformedMessageException("count " + count + " with " + bytes.remaining() + " bytes left");
        }
        return count;
    }

    private int takeElements(int bytesEach) throws MalformedMessageException {
        int count = takeCount(bytesEach);
        elements += count;
        if (elements > ELEMENTS_MAX) {
            throw new MalformedMessageException("more than " + ELEMENTS_MAX + " fields and sessions");
        }
        return count;
    }

    private boolean takeFlag() throws MalformedMessageException {
        byte flag = takeByte();
        if (flag != 0 && flag != 1) {
            throw new MalformedMessageException("flag of " + flag);
        }
        return flag == 1;
    }

    private byte takeByte() throws MalformedMessageException {
        need(1);
        return bytes.get();
    }

    private long takeLong() throws MalformedMessageException {
        need(8);
        return bytes.getLong();
    }

    private void need(int count) throws MalformedMessageException {
        if (bytes.remaining() < count) {
            throw new MalformedMessageException("message ends at byte " + bytes.limit() + ", " + count + " more expected at "
                    + bytes.position());
        }
    }
}
