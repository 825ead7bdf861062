package dev.tutti.announce.message;

import dev.tutti.announce.message.AnnounceMessage.Announced;
import dev.tutti.announce.message.AnnounceMessage.Balancing;
import dev.tutti.announce.message.AnnounceMessage.Ordered;
import dev.tutti.announce.message.AnnounceMessage.Refused;
import dev.tutti.announce.message.AnnounceMessage.Settled;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes of messages between web nodes and balancers. The first byte is the version of the format, the second the kind of message.
 * Texts are a length in two bytes and UTF-8, lists a count in two bytes; numbers have the highest byte first.
 *
 * <p>Bytes of other members never cause anything but a {@link MalformedAnnouncementException}, and memory in proportion to
 * their number.
 */
public final class AnnounceCodec {

    /** Longest message, in bytes. */
    public static final int BYTES_MAX = 256 << 10;

    private static final int VERSION = 1;

    private static final int ANNOUNCED = 1;
    private static final int BALANCING = 2;
    private static final int SETTLED = 3;
    private static final int REFUSED = 4;
    private static final int ORDERED = 5;

    private static final int TEXT_BYTES_MAX = 1_024;

    /** Fewest bytes of a context: its path, count of aliases, version and state. */
    private static final int CONTEXT_BYTES_MIN = 7;

    /** Fewest bytes of a part of a load: its name and value. */
    private static final int PART_BYTES_MIN = 10;

    private AnnounceCodec() {}

    /** @throws IllegalArgumentException if the message would be longer than {@link #BYTES_MAX} */
    public static byte[] encode(AnnounceMessage message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            switch (message) {
                case Announced announced -> {
                    out.writeByte(ANNOUNCED);
                    out.writeLong(announced.sequence());
                    put(announced.node(), out);
                }
                case Balancing balancing -> {
                    out.writeByte(BALANCING);
                    putText(balancing.url(), out);
                }
                case Settled settled -> {
                    out.writeByte(SETTLED);
                    out.writeLong(settled.sequence());
                }
                case Refused refused -> {
                    out.writeByte(REFUSED);
                    out.writeLong(refused.sequence());
                    putText(refused.reason(), out);
                }
                case Ordered ordered -> {
                    out.writeByte(ORDERED);
                    putText(ordered.path(), out);
                    out.writeByte(ordered.state().ordinal());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (bytes.size() > BYTES_MAX) {
            throw new IllegalArgumentException("an announcement has " + bytes.size() + " bytes; at most " + BYTES_MAX
                    + ". Announce fewer contexts or aliases");
        }
        return bytes.toByteArray();
    }

    private static void put(Announcement node, DataOutputStream out) throws IOException {
        putText(node.route(), out);
        putText(node.scheme(), out);
        putText(node.host(), out);
        out.writeShort(node.port());
        putText(node.domain(), out);
        out.writeShort(node.contexts().size());
        for (WebContext context : node.contexts()) {
            putText(context.path(), out);
            out.writeShort(context.aliases().size());
            for (String alias : context.aliases()) {
                putText(alias, out);
            }
            putText(context.version(), out);
            out.writeByte(context.state().ordinal());
        }
        out.writeDouble(node.load().value());
        out.writeShort(node.load().parts().size());
        for (Map.Entry<String, Double> part : node.load().parts().entrySet()) {
            putText(part.getKey(), out);
            out.writeDouble(part.getValue());
        }
        out.writeLong(node.sessions());
    }

    private static void putText(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, TEXT_BYTES_MAX);
        out.writeShort(length);
        out.write(bytes, 0, length);
    }

    /** @throws MalformedAnnouncementException if the bytes are no message of this version */
    public static AnnounceMessage decode(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new MalformedAnnouncementException("a message has " + bytes.length + " bytes, at most " + BYTES_MAX);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int version = takeByte(in);
        if (version != VERSION) {
            throw new MalformedAnnouncementException("a message has version " + version + "; this is version " + VERSION);
        }
        AnnounceMessage message;
        try {
            message = take(takeByte(in), in);
        } catch (IllegalArgumentException e) {
            throw new MalformedAnnouncementException(String.valueOf(e.getMessage()));
        }
        if (in.hasRemaining()) {
            throw new MalformedAnnouncementException("a message has " + in.remaining() + " bytes after its end");
        }
        return message;
    }

    private static AnnounceMessage take(int kind, ByteBuffer in) {
        return switch (kind) {
            case ANNOUNCED -> new Announced(takeLong(in), takeNode(in));
            case BALANCING -> new Balancing(takeText(in));
            case SETTLED -> new Settled(takeLong(in));
            case REFUSED -> new Refused(takeLong(in), takeText(in));
            case ORDERED -> new Ordered(takeText(in), takeState(in));
            default -> throw new MalformedAnnouncementException("a message is of kind " + kind + ", which there is not");
        };
    }

    private static Announcement takeNode(ByteBuffer in) {
        String route = takeText(in);
        String scheme = takeText(in);
        String host = takeText(in);
        int port = takeShort(in);
        String domain = takeText(in);
        int contextCount = takeCount(CONTEXT_BYTES_MIN, Announcement.CONTEXTS_MAX, "contexts", in);
        List<WebContext> contexts = new ArrayList<>(contextCount);
        for (int i = 0; i < contextCount; i++) {
            String path = takeText(in);
            int aliasCount = takeCount(2, WebContext.ALIASES_MAX, "aliases", in);
            List<String> aliases = new ArrayList<>(aliasCount);
            for (int j = 0; j < aliasCount; j++) {
                aliases.add(takeText(in));
            }
            contexts.add(new WebContext(path, aliases, takeText(in), takeState(in)));
        }
        double load = takeDouble(in);
        int partCount = takeCount(PART_BYTES_MIN, Load.PARTS_MAX, "parts of a load", in);
        Map<String, Double> parts = new TreeMap<>();
        for (int i = 0; i < partCount; i++) {
            parts.put(takeText(in), takeDouble(in));
        }
        return new Announcement(route, scheme, host, port, domain, contexts, new Load(load, parts), takeLong(in));
    }

    private static ContextState takeState(ByteBuffer in) {
        int ordinal = takeByte(in);
        ContextState[] states = ContextState.values();
        if (ordinal < 0 || ordinal >= states.length) {
            throw new MalformedAnnouncementException("a state has number " + ordinal + ", which there is not");
        }
        return states[ordinal];
    }

    private static int takeCount(int bytesEach, int max, String what, ByteBuffer in) {
        int count = takeShort(in);
        if (count > max || count > in.remaining() / bytesEach) {
            throw new MalformedAnnouncementException(count + " " + what + ", at most " + max + ", with " + in.remaining() + " bytes left");
        }
        return count;
    }

    private static String takeText(ByteBuffer in) {
        int length = takeShort(in);
        if (length > TEXT_BYTES_MAX || length > in.remaining()) {
            throw new MalformedAnnouncementException(
                    "a text has " + length + " bytes, at most " + TEXT_BYTES_MAX + ", with " + in.remaining() + " bytes left");
        }
        ByteBuffer bytes = in.slice(in.position(), length);
        in.position(in.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedAnnouncementException("a text of " + length + " bytes is not in UTF-8");
        }
    }

    private static int takeByte(ByteBuffer in) {
        need(1, in);
        return in.get();
    }

    private static int takeShort(ByteBuffer in) {
        need(Short.BYTES, in);
        return Short.toUnsignedInt(in.getShort());
    }

    private static long takeLong(ByteBuffer in) {
        need(Long.BYTES, in);
        return in.getLong();
    }

    private static double takeDouble(ByteBuffer in) {
        need(Double.BYTES, in);
        return in.getDouble();
    }

    private static void need(int bytes, ByteBuffer in) {
        if (in.remaining() < bytes) {
            throw new MalformedAnnouncementException("a message ends " + (bytes - in.remaining()) + " bytes too early");
        }
    }
}
