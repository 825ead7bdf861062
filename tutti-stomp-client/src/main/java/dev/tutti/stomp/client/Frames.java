package dev.tutti.stomp.client;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Frames of STOMP 1.2 as bytes. */
final class Frames {

    static final byte[] HEART_BEAT = {'\n'};

    private static final byte[] NOTHING = {};
    private static final int HEAD_BYTES_MAX = 64 << 10;
    private static final int COMMAND_BYTES_MAX = 64;

    private Frames() {}

    /** Returns a frame. Headers of CONNECT are not escaped, as STOMP has it. */
    static byte[] encode(String command, Map<String, String> headers, byte[] body) {
        StringBuilder head = new StringBuilder(command).append('\n');
        boolean isEscaped = !command.equals("CONNECT");
        headers.forEach((name, value) ->
                head.append(isEscaped ? escape(name) : name).append(':').append(isEscaped ? escape(value) : value).append('\n'));
        if (body.length > 0) {
            head.append("content-length:").append(body.length).append('\n');
        }
        byte[] start = head.append('\n').toString().getBytes(StandardCharsets.UTF_8);
        byte[] frame = new byte[start.length + body.length + 1];
        System.arraycopy(start, 0, frame, 0, start.length);
        System.arraycopy(body, 0, frame, start.length, body.length);
        return frame;
    }

    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '\\' -> escaped.append("\\\\");
                case '\n' -> escaped.append("\\n");
                case '\r' -> escaped.append("\\r");
                case ':' -> escaped.append("\\c");
                default -> escaped.append(text.charAt(i));
            }
        }
        return escaped.toString();
    }

    /**
     * Reads a frame; heart-beats before it are skipped. A body of more than {@code bodyMax} bytes is read and left out.
     *
     * @throws IOException if the connection ends, or what comes is no frame
     */
    static Frame read(InputStream in, int bodyMax) throws IOException {
        String command = line(in, COMMAND_BYTES_MAX);
        while (command.isEmpty()) {
            command = line(in, COMMAND_BYTES_MAX);
        }
        boolean isEscaped = !command.equals("CONNECTED");
        Map<String, String> headers = new HashMap<>();
        int left = HEAD_BYTES_MAX;
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            left = Math.max(0, left - line.length());
            int colon = line.indexOf(':');
            if (colon < 0) {
                throw new IOException("the server has sent a header without a colon in " + command);
            }
            String name = line.substring(0, colon);
            String value = line.substring(colon + 1);
            headers.putIfAbsent(isEscaped ? unescape(name) : name, isEscaped ? unescape(value) : value);
        }
        String length = headers.get("content-length");
        return length == null ? untilNul(in, command, headers, bodyMax) : ofLength(in, command, headers, number(length), bodyMax);
    }

    private static long number(String text) throws IOException {
        try {
            return Math.max(0, Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            throw new IOException("the server has sent the content-length '" + text + "'", e);
        }
    }

    private static Frame ofLength(InputStream in, String command, Map<String, String> headers, long length, int bodyMax) throws IOException {
        byte[] body = NOTHING;
        if (length <= bodyMax) {
            body = in.readNBytes((int) length);
            if (body.length < length) {
                throw new EOFException("the server has closed the connection within a message");
            }
        } else {
            skip(in, length);
        }
        if (next(in) != 0) {
            throw new IOException("the server has sent more than the content-length of a " + command);
        }
        return new Frame(command, headers, body, length);
    }

    private static void skip(InputStream in, long length) throws IOException {
        try {
            in.skipNBytes(length);
        } catch (EOFException e) {
            throw new IOException("the server has closed the connection within a message", e);
        }
    }

    private static Frame untilNul(InputStream in, String command, Map<String, String> headers, int bodyMax) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        long length = 0;
        for (int each = next(in); each != 0; each = next(in)) {
            length++;
            if (length <= bodyMax) {
                body.write(each);
            }
        }
        return new Frame(command, headers, length <= bodyMax ? body.toByteArray() : NOTHING, length);
    }

    private static String line(InputStream in, int bytesMax) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int each = next(in); each != '\n'; each = next(in)) {
            if (line.size() >= bytesMax) {
                throw new IOException("the server has sent a head that is too long");
            }
            line.write(each);
        }
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private static int next(InputStream in) throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException("the server has closed the connection");
        }
        return next;
    }

    private static String unescape(String text) throws IOException {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each != '\\') {
                plain.append(each);
                continue;
            }
            i++;
            plain.append(switch (i < text.length() ? text.charAt(i) : ' ') {
                case '\\' -> '\\';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 'c' -> ':';
                default -> throw new IOException("the server has sent an escape that STOMP does not have");
            });
        }
        return plain.toString();
    }
}
