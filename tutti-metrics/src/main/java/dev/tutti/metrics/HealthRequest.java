package dev.tutti.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an HTTP request's head that the four pages need.
 *
 * @param path path without a query
 * @param host value of the header; null if there is none
 */
record HealthRequest(String method, String path, @Nullable String host) {

    /** Most bytes of a head: probes and Prometheus send some hundred. */
    static final int HEAD_BYTES_MAX = 8_192;

    /** Most characters of a method, and of a version. */
    private static final int METHOD_LENGTH_MAX = 16;

    private static final String HOST = "host";
    private static final String LINE_END = "\r\n";
    private static final String END = LINE_END + LINE_END;

    /** Reads up to the end of a head; null if there is none within {@link #HEAD_BYTES_MAX}, or it is malformed. */
    static @Nullable HealthRequest read(InputStream in) throws IOException {
        byte[] head = new byte[HEAD_BYTES_MAX];
        int length = 0;
        while (length < head.length) {
            int count = in.read(head, length, head.length - length);
            if (count < 0) {
                return null;
            }
            int from = Math.max(0, length - END.length());
            length += count;
            if (text(head, from, length).contains(END)) {
                return parse(text(head, 0, length));
            }
        }
        return null;
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Parses a head; text after its end is ignored. Null if it is malformed. */
    static @Nullable HealthRequest parse(String text) {
        int end = text.indexOf(END);
        int lineEnd = text.indexOf(LINE_END);
        int target = text.indexOf(' ') + 1;
        int version = text.indexOf(' ', target) + 1;
        boolean isLine = 1 < target && target < version && version < lineEnd && lineEnd - version <= METHOD_LENGTH_MAX;
        if (end < 0 || !isLine || target > METHOD_LENGTH_MAX) {
            return null;
        }
        String method = text.substring(0, target - 1);
        String path = text.substring(target, version - 1);
        if (!method.matches("[A-Z]+") || !path.startsWith("/") || !text.substring(version, lineEnd).matches("HTTP/1\\.[01]")) {
            return null;
        }
        String host = null;
        for (int start = lineEnd + 2; start < end; start = lineEnd + 2) {
            lineEnd = text.indexOf(LINE_END, start);
            int colon = text.indexOf(':', start);
            if (colon <= start || colon > lineEnd) {
                return null;
            }
            if (colon - start == HOST.length() && text.regionMatches(true, start, HOST, 0, HOST.length())) {
                if (host != null) {
                    // Two hosts are ambiguous, which an attack could exploit.
                    return null;
                }
                host = text.substring(colon + 1, lineEnd).strip();
            }
        }
        int question = path.indexOf('?');
        return new HealthRequest(method, question < 0 ? path : path.substring(0, question), host);
    }
}
