package dev.tutti.stomp.internal.codec;

import dev.tutti.core.settings.Settings;
import dev.tutti.stomp.StompSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Opens the readers of STOMP, and of messages between its servers, to the fuzzer. */
public final class StompBytes {

    private static final FrameLimits LIMITS = FrameLimits.of(Settings.of(StompSettings.ALL));

    private StompBytes() {}

    /** Reads a stream in two pieces, in the version that its first byte chooses; returns the outcome. */
    public static String stream(byte[] input) {
        FrameParser parser = new FrameParser(LIMITS);
        int version = input.length == 0 ? 3 : input[0] & 3;
        if (version < 3) {
            parser.version(StompVersion.values()[version]);
        }
        int start = Math.min(1, input.length);
        int middle = start + (input.length - start) / 2;
        ByteBuf in = Unpooled.wrappedBuffer(input);
        in.setIndex(start, middle);
        try {
            int frames = frames(parser, in);
            in.writerIndex(input.length);
            frames += frames(parser, in);
            return parser.isInsideFrame() ? "waiting" : frames == 0 ? "nothing" : "frames";
        } catch (FrameException e) {
            return "refused " + e.fault();
        }
    }

    private static int frames(FrameParser parser, ByteBuf in) throws FrameException {
        int count = 0;
        for (Frame frame = parser.next(in); frame != null; frame = parser.next(in)) {
            if (frame.body().length > LIMITS.bodyBytesMax() || frame.headers().count() > LIMITS.headersMax()) {
                throw new IllegalStateException("a frame beyond the limits: " + frame);
            }
            count++;
        }
        return count;
    }

    /** Returns one stream of each version, and some that are beyond a limit. */
    public static List<byte[]> streams() {
        return List.of(
                bytes("\3CONNECT\r\naccept-version:1.0,1.2\r\nhost:a\r\n\r\n\0\n\3"),
                bytes("\0\nSEND\ndestination: /a\n\nhello\0\n\nACK\nmessage-id:a-1\n\n\0"),
                bytes("\1SUBSCRIBE\nid:\\c\\n\\\\\ndestination:/a/*/**\n\n\0SEND\ncontent-length:3\n\n\0\n\0\0"),
                bytes("\2BEGIN\ntransaction:t\n\n\0SEND\nä:\\r\ntransaction:t\n\nx\0COMMIT\ntransaction:t\n\n\0\n"),
                bytes("\2" + "A\n\n\0".repeat(4_000)),
                bytes("\2SEND\n" + "a:b\n".repeat(100) + "\n\0"),
                bytes("\2SEND\na:" + "b".repeat(5_000) + "\n\n\0"),
                bytes("\2SEND\ncontent-length:2000000\n\n\0"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads a message between servers of a group; returns its kind. */
    public static String envelope(byte[] input) {
        try {
            return Envelope.decode(input).getClass().getSimpleName();
        } catch (FrameException e) {
            return "refused";
        }
    }

    /** Returns one message of each kind. */
    public static List<byte[]> envelopes() {
        try {
            Content content = new Content(Destination.exact("/a/b"), Headers.of("k", "v", "", ""), new byte[20]);
            Content deep = new Content(Destination.exact("/a".repeat(32)), new Headers(), new byte[0]);
            return List.of(
                    Envelope.encode(new Envelope.Publish(1, true, List.of(content, content))),
                    Envelope.encode(new Envelope.Publish(2, false, List.of(deep, deep, deep, deep))),
                    Envelope.encode(new Envelope.Publish(3, false, List.of())),
                    Envelope.encode(new Envelope.Confirm(258)),
                    Envelope.encode(new Envelope.Endpoints("stomp://a:1,ws://a:1/")));
        } catch (FrameException e) {
            throw new IllegalStateException(e);
        }
    }
}
