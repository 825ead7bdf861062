package dev.tutti.tomcat.replication.codec;

import dev.tutti.tomcat.replication.session.Change;
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
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Encodes messages; the layout is in {@code docs/design/tomcat-sessions.md}. */
public final class MessageWriter {

    public static final byte FORMAT = 3;
    static final byte IMAGE = 1;
    static final byte DELTA = 2;
    static final byte ACCESS = 3;
    static final byte REMOVE = 4;
    static final byte ACK = 5;
    static final byte QUERY = 6;
    static final byte ANSWER = 7;
    static final byte IMAGE_REQUEST = 8;
    static final byte STATE_REQUEST = 9;
    static final byte STATE_CHUNK = 10;
    static final byte PROBE = 11;
    static final byte PROBE_ANSWER = 12;
    static final byte SHARED = 13;
    static final byte HELD = 14;
    static final byte ALSO = 15;
    static final byte GONE = 16;
    static final byte SPARE = 17;
    static final byte FETCH = 18;
    static final byte GIVEN = 19;
    static final byte SETTLED = 20;
    static final byte WATCH = 21;
    static final byte MOVED = 22;
    static final byte ZONE = 23;

    private byte[] bytes = new byte[256];
    private int length;

    private MessageWriter() {}

    /**
     * @param number of the message among those that its sender sent to the group; 0 for all others
     */
    public static byte[] encode(long number, SessionMessage message) {
        MessageWriter writer = new MessageWriter();
        writer.putByte(FORMAT);
        writer.putLong(number);
        writer.put(message);
        return Arrays.copyOf(writer.bytes, writer.length);
    }

    private void put(SessionMessage message) {
        switch (message) {
            case Image image -> {
                putByte(IMAGE);
                putImage(image);
            }
            case Delta delta -> {
                putByte(DELTA);
                putUid(delta.uid());
                putVersion(delta.version());
                putInt(delta.writes().size());
                for (Write write : delta.writes()) {
                    Change change = write.change();
                    putField(change.field());
                    putVersion(write.basis());
                    putContent(change.content(), change.isListening());
                }
            }
            case Access access -> {
                putByte(ACCESS);
                putUid(access.uid());
                putVersion(access.version());
            }
            case Remove remove -> {
                putByte(REMOVE);
                putUid(remove.uid());
                putText(remove.key());
                putVersion(remove.version());
                putByte((byte) remove.reason().ordinal());
            }
            case Ack ack -> {
                putByte(ACK);
                putLong(ack.number());
            }
            case Query query -> {
                putByte(QUERY);
                putLong(query.query());
                putText(query.key());
            }
            case Answer answer -> {
                putByte(ANSWER);
                putLong(answer.query());
                Image image = answer.image();
                putByte((byte) (image == null ? 0 : 1));
                if (image != null) {
                    putImage(image);
                }
            }
            case ImageRequest request -> {
                putByte(IMAGE_REQUEST);
                putUid(request.uid());
            }
            case StateRequest request -> {
                putByte(STATE_REQUEST);
                putLong(request.pull());
                putLong(request.viewNumber());
                UUID after = request.after();
                putByte((byte) (after == null ? 0 : 1));
                if (after != null) {
                    putUid(after);
                }
            }
            case Probe sent -> {
                putByte(PROBE);
                putLong(sent.probe());
            }
            case ProbeAnswer answer -> {
                putByte(PROBE_ANSWER);
                putLong(answer.probe());
                putLong(answer.origin());
            }
            case StateChunk chunk -> {
                putByte(STATE_CHUNK);
                putLong(chunk.pull());
                putByte((byte) (chunk.isLast() ? 1 : 0));
                putInt(chunk.images().size());
                for (Image image : chunk.images()) {
                    putImage(image);
                }
            }
            case SessionMessage.Shared shared -> {
                putByte(SHARED);
                putOrigins(shared.holders());
                put(shared.message());
            }
            case SessionMessage.Held held -> {
                putByte(HELD);
                putUid(held.uid());
                putLong(held.digest());
                putOrigins(held.holders());
            }
            case SessionMessage.Moved moved -> {
                putByte(MOVED);
                putOrigins(moved.holders());
                putImage(moved.image());
                moved.image().slots().values().forEach(slot -> putVersion(slot.basis()));
            }
            case SessionMessage.Also also -> {
                putByte(ALSO);
                putUid(also.uid());
                putOrigins(also.holders());
            }
            case SessionMessage.Gone gone -> {
                putByte(GONE);
                putUid(gone.uid());
                putLong(gone.handled());
            }
            case SessionMessage.Spare spare -> {
                putByte(SPARE);
                putUid(spare.uid());
                putLong(spare.view());
            }
            case SessionMessage.Fetch fetch -> {
                putByte(FETCH);
                putLong(fetch.query());
                putByte((byte) (fetch.isToAll() ? 1 : 0));
                putText(fetch.key());
            }
            case SessionMessage.Given given -> {
                putByte(GIVEN);
                putLong(given.query());
                putByte((byte) given.knowledge().ordinal());
                putOrigins(given.holders());
                Image image = given.image();
                putByte((byte) (image == null ? 0 : 1));
                if (image != null) {
                    putImage(image);
                }
            }
            case SessionMessage.Settled settled -> {
                putByte(SETTLED);
                putLong(settled.view());
                putInt(settled.stage());
            }
            case SessionMessage.Zone zone -> {
                putByte(ZONE);
                putText(zone.name());
            }
            case SessionMessage.Watch watch -> {
                putByte(WATCH);
                putInt(watch.sessions().size());
                for (SessionMessage.Watched session : watch.sessions()) {
                    putText(session.key());
                    putOrigins(session.holders());
                }
            }
        }
    }

    private void putOrigins(List<Long> origins) {
        putInt(origins.size());
        origins.forEach(this::putLong);
    }

    private void putImage(Image image) {
        putUid(image.uid());
        putLong(image.createdMillis());
        putLong(image.idleMillis());
        putVersion(image.touched());
        putInt(image.slots().size());
        image.slots().forEach((field, slot) -> {
            putField(field);
            putVersion(slot.version());
            putContent(slot.content(), slot.isListening());
        });
    }

    private void putField(Field field) {
        putByte((byte) field.kind().ordinal());
        putText(field.name());
    }

    private void putContent(byte @Nullable [] content, boolean isListening) {
        putByte((byte) (isListening ? 1 : 0));
        if (content == null) {
            putInt(-1);
        } else {
            putInt(content.length);
            putBytes(content);
        }
    }

    private void putVersion(SessionVersion version) {
        putLong(version.view());
        putLong(version.counter());
        putLong(version.origin());
    }

    private void putUid(UUID uid) {
        putLong(uid.getMostSignificantBits());
        putLong(uid.getLeastSignificantBits());
    }

    private void putText(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        putInt(utf8.length);
        putBytes(utf8);
    }

    private void putByte(byte value) {
        reserve(1);
        bytes[length++] = value;
    }

    private void putInt(int value) {
        reserve(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    private void putLong(long value) {
        putInt((int) (value >>> 32));
        putInt((int) value);
    }

    private void putBytes(byte[] value) {
        reserve(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
    }

    private void reserve(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.multiplyExact(2, bytes.length), Math.addExact(length, count)));
        }
    }
}
