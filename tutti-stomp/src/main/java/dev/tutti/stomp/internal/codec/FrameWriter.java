package dev.tutti.stomp.internal.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes frames. */
public final class FrameWriter {

    private FrameWriter() {}

    /**
     * Returns the bytes of a frame.
     *
     * @param version null before one is agreed on; then, and in CONNECTED, nothing is escaped, and ends of lines become spaces
     */
    public static byte[] write(@Nullable StompVersion version, String command, Headers headers, byte[] body) {
        StringBuilder head = new StringBuilder(64 + headers.length());
        head.append(command).append('\n');
        boolean isEscaped = !command.equals("CONNECTED") && !command.equals("CONNECT");
        headers(version != null && isEscaped ? version : StompVersion.V10, headers, head);
        if (body.length > 0 && headers.get("content-length") == null) {
            head.append("content-length:").append(body.length).append('\n');
        }
        byte[] start = head.append('\n').toString().getBytes(StandardCharsets.UTF_8);
        byte[] frame = new byte[start.length + body.length + 1];
        System.arraycopy(start, 0, frame, 0, start.length);
        System.arraycopy(body, 0, frame, start.length, body.length);
        return frame;
    }

    public static void headers(StompVersion version, Headers headers, StringBuilder head) {
        for (int index = 0; index < headers.count(); index++) {
            header(version, headers.name(index), headers.value(index), head);
        }
    }

    public static void header(StompVersion version, String name, String value, StringBuilder head) {
        version.escape(name, true, head);
        head.append(':');
        version.escape(value, false, head);
        head.append('\n');
    }

    /** Largest header of a WebSocket frame from a server, in bytes. */
    public static final int WEB_SOCKET_HEADER_MAX = 10;

    private static final int FINAL = 0x80;
    private static final int TEXT = 1;
    private static final int BINARY = 2;

    /** Writes the header of a WebSocket frame of {@code length} bytes, whole and unmasked (RFC 6455, 5.2). */
    public static void webSocketHeader(ByteBuf out, boolean isText, int length) {
        out.writeByte(FINAL | (isText ? TEXT : BINARY));
        if (length < 126) {
            out.writeByte(length);
        } else if (length < 1 << 16) {
            out.writeByte(126).writeShort(length);
        } else {
            out.writeByte(127).writeLong(length);
        }
    }

    /** Returns whether bytes are UTF-8, so that a text frame may hold them. */
    public static boolean isText(byte[] bytes) {
        int index = 0;
        while (index < bytes.length && bytes[index] >= 0) {
            index++;
        }
        // Only texts with other characters than ASCII get past the loop.
        return index == bytes.length || ByteBufUtil.isText(
                Unpooled.wrappedBuffer(bytes), StandardCharsets.UTF_8);
    }
}
