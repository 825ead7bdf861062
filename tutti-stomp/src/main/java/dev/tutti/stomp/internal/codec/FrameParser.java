package dev.tutti.stomp.internal.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream of bytes into frames, wherever the stream is divided.
 *
 * <p>Commands and headers are taken line by line as they arrive, bodies when they are complete; nothing is allocated
 * for bytes that have not arrived. Each byte is inspected once, however slowly it comes. Before a version is agreed on,
 * lines end as in 1.2 and nothing is unescaped, as CONNECT requires. Not thread-safe.
 */
public final class FrameParser {

    private enum Stage {
        BETWEEN,
        COMMAND,
        HEADERS,
        BODY
    }

    private static final int COMMAND_LENGTH_MAX = 32;
    private static final int BODY_OPEN = -1;
    private static final byte[] NOTHING = new byte[0];

    private final FrameLimits limits;
    private @Nullable StompVersion version;
    private Stage stage = Stage.BETWEEN;

    /** Number of readable bytes that were inspected already. */
    private int scanned;

    private String command = "";
    private Headers headers = new Headers();
    private int headBytes;
    private int bodyLength = BODY_OPEN;

    public FrameParser(FrameLimits limits) {
        this.limits = limits;
    }

    /** Sets the version that was agreed on, for the frames that follow. */
    public void version(StompVersion agreed) {
        version = agreed;
    }

    /** Returns whether a frame has begun and not ended. */
    public boolean isInsideFrame() {
        return stage != Stage.BETWEEN;
    }

    /**
     * Returns the next frame, or null if more bytes are needed. Consumed bytes are read off {@code in}; the rest has to
     * be there again, before the following bytes, at the next call.
     *
     * @throws FrameException if this is no frame, or one beyond the limits; the parser can't be used afterwards
     */
    public @Nullable Frame next(ByteBuf in) throws FrameException {
        if (stage == Stage.BETWEEN && !skipEnds(in)) {
            return null;
        }
        while (stage != Stage.BODY) {
            String line = line(in);
            if (line == null) {
                return null;
            }
            if (stage == Stage.COMMAND) {
                begin(line);
            } else if (line.isEmpty()) {
                beginBody();
            } else {
                header(line);
            }
        }
        return body(in);
    }

    /** Skips the ends of lines between frames, which are heart-beats. */
    private boolean skipEnds(ByteBuf in) throws FrameException {
        while (in.isReadable()) {
            byte next = in.getByte(in.readerIndex());
            if (next != '\n' && next != '\r') {
                if (next < 'A' || next > 'Z') {
                    throw FrameException.malformed("a frame begins with a command; this is none");
                }
                stage = Stage.COMMAND;
                scanned = 0;
                headBytes = 0;
                return true;
            }
            in.skipBytes(1);
        }
        return false;
    }

    /** Returns the next line without its end. */
    private @Nullable String line(ByteBuf in) throws FrameException {
        int start = in.readerIndex();
        int end = in.indexOf(start + scanned, in.writerIndex(), (byte) '\n');
        int length = end < 0 ? in.readableBytes() : end - start + 1;
        if (stage == Stage.COMMAND && length > COMMAND_LENGTH_MAX) {
            throw FrameException.malformed("a frame begins with a command; this is none");
        }
        if (length > limits.lineBytesMax()) {
            throw new FrameException(
                    StompFault.HEAD_TOO_LARGE, "a header has more than " + limits.lineBytesMax() + " bytes (stomp.header-length-max)");
        }
        if (headBytes + length > limits.headBytesMax()) {
            throw new FrameException(
                    StompFault.HEAD_TOO_LARGE,
                    "command and headers have more than " + limits.headBytesMax() + " bytes (stomp.head-max)");
        }
        if (end < 0) {
            scanned = length;
            return null;
        }
        scanned = 0;
        headBytes += length;
        int count = length - 1;
        boolean isEndLonger = version == null || version.isCarriageReturnPartOfEnd();
        if (isEndLonger && count > 0 && in.getByte(end - 1) == '\r') {
            count--;
        }
        String line = text(in, start, count);
        in.readerIndex(end + 1);
        return line;
    }

    private static String text(ByteBuf in, int start, int count) throws FrameException {
        byte[] bytes = new byte[count];
        in.getBytes(start, bytes);
        boolean isAscii = true;
        for (byte each : bytes) {
            if (each == 0) {
                throw FrameException.malformed("there is a NUL in a command or header");
            }
            isAscii &= each > 0;
        }
        if (isAscii) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw FrameException.malformed("a header is not UTF-8");
        }
    }

    private void begin(String line) throws FrameException {
        if (line.isEmpty()) {
            throw FrameException.malformed("a frame begins with a command; this is none");
        }
        for (int index = 0; index < line.length(); index++) {
            if (line.charAt(index) < 'A' || line.charAt(index) > 'Z') {
                throw FrameException.malformed("a frame begins with a command; this is none");
            }
        }
        boolean isFirst = line.equals("CONNECT") || line.equals("STOMP") || line.equals("CONNECTED") || line.equals("ERROR");
        if (version == null && !isFirst) {
            // Frames of a client that has not sent CONNECT are not buffered.
            throw new FrameException(StompFault.UNEXPECTED, "the first frame is CONNECT or STOMP, not " + line);
        }
        command = line;
        headers = new Headers();
        bodyLength = BODY_OPEN;
        stage = Stage.HEADERS;
    }

    private void header(String line) throws FrameException {
        int colon = line.indexOf(':');
        if (colon < 0) {
            throw FrameException.malformed("a header of a " + command + " frame has no colon");
        }
        if (headers.count() >= limits.headersMax()) {
            throw new FrameException(
                    StompFault.HEAD_TOO_LARGE, "a frame has more than " + limits.headersMax() + " headers (stomp.headers-max)");
        }
        String name = line.substring(0, colon);
        String value = line.substring(colon + 1);
        StompVersion agreed = version;
        if (agreed != null && agreed.isTrimmed()) {
            name = name.strip();
            value = value.strip();
        }
        if (agreed != null && !command.equals("CONNECTED")) {
            name = agreed.unescape(name);
            value = agreed.unescape(value);
        } else if (command.equals("STOMP")) {
            value = orRaw(value);
        }
        if (name.isEmpty()) {
            throw FrameException.malformed("a header of a " + command + " frame has no name");
        }
        headers.add(name, value);
    }

    /** Unescapes a value if possible: the specification escapes in STOMP and not in CONNECT, and clients do either. */
    private static String orRaw(String value) {
        try {
            return StompVersion.V12.unescape(value);
        } catch (FrameException e) {
            return value;
        }
    }

    private void beginBody() throws FrameException {
        stage = Stage.BODY;
        scanned = 0;
        String text = headers.get("content-length");
        if (text == null) {
            return;
        }
        bodyLength = length(text.strip());
        if (bodyLength > 0 && !mayHaveBody()) {
            throw FrameException.malformed("a " + command + " frame has no body, and this one announces " + bodyLength + " bytes");
        }
    }

    private int length(String text) throws FrameException {
        long length = 0;
        for (int index = 0; index < text.length(); index++) {
            char digit = text.charAt(index);
            if (digit < '0' || digit > '9') {
                throw FrameException.malformed("content-length is a number of bytes");
            }
            length = Math.min(length * 10 + (digit - '0'), Integer.MAX_VALUE);
        }
        if (text.isEmpty()) {
            throw FrameException.malformed("content-length is a number of bytes");
        }
        checkBody(length);
        return (int) length;
    }

    private void checkBody(long length) throws FrameException {
        if (length > limits.bodyBytesMax()) {
            throw new FrameException(
                    StompFault.BODY_TOO_LARGE, "a body has more than " + limits.bodyBytesMax() + " bytes (stomp.body-max)");
        }
    }

    private boolean mayHaveBody() {
        return command.equals("SEND") || command.equals("MESSAGE") || command.equals("ERROR");
    }

    private @Nullable Frame body(ByteBuf in) throws FrameException {
        int start = in.readerIndex();
        int length = bodyLength;
        if (length == BODY_OPEN) {
            int end = in.indexOf(start + scanned, in.writerIndex(), (byte) 0);
            length = end < 0 ? in.readableBytes() : end - start;
            if (length > 0 && !mayHaveBody()) {
                throw FrameException.malformed("a " + command + " frame has no body");
            }
            checkBody(length);
            if (end < 0) {
                scanned = length;
                return null;
            }
        } else if (in.readableBytes() <= length) {
            return null;
        } else if (in.getByte(start + length) != 0) {
            throw FrameException.malformed("there is no NUL after the " + length + " bytes that content-length announces");
        }
        byte[] body = NOTHING;
        if (length > 0) {
            body = new byte[length];
            in.readBytes(body);
        }
        in.skipBytes(1);
        stage = Stage.BETWEEN;
        Frame frame = new Frame(command, headers, body);
        headers = new Headers();
        return frame;
    }
}
