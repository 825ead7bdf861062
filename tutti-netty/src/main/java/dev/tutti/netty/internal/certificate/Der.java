package dev.tutti.netty.internal.certificate;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Writes the subset of DER (X.690) that certificates need; every method returns a whole element. */
final class Der {

    private static final DateTimeFormatter SHORT_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter LONG_TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    /** RFC 5280, 4.1.2.5: two-digit years end with 2049. */
    private static final Instant SHORT_TIME_END = Instant.parse("2050-01-01T00:00:00Z");

    private Der() {}

    static byte[] sequence(byte[]... elements) {
        return element(0x30, join(elements));
    }

    static byte[] set(byte[]... elements) {
        return element(0x31, join(elements));
    }

    static byte[] integer(BigInteger value) {
        return element(0x02, value.toByteArray());
    }

    static byte[] truth() {
        return element(0x01, new byte[] {(byte) 0xff});
    }

    static byte[] octets(byte[] content) {
        return element(0x04, content);
    }

    /** Returns a bit string; its last {@code unused} bits do not count. */
    static byte[] bits(byte[] content, int unused) {
        return element(0x03, join(new byte[] {(byte) unused}, content));
    }

    static byte[] text(String value) {
        return element(0x0c, value.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant value) {
        return value.isBefore(SHORT_TIME_END)
                ? element(0x17, SHORT_TIME.format(value).getBytes(StandardCharsets.US_ASCII))
                : element(0x18, LONG_TIME.format(value).getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns {@code [number]} around whole elements. */
    static byte[] explicit(int number, byte[] content) {
        return element(0xa0 | number, content);
    }

    /** Returns {@code [number] IMPLICIT} in place of a primitive element's own tag. */
    static byte[] implicit(int number, byte[] content) {
        return element(0x80 | number, content);
    }

    /** Returns an object identifier in dotted form. */
    static byte[] identifier(String dotted) {
        String[] arcs = dotted.split("\\.");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.write(Integer.parseInt(arcs[0]) * 40 + Integer.parseInt(arcs[1]));
        for (int index = 2; index < arcs.length; index++) {
            int arc = Integer.parseInt(arcs[index]);
            for (int shift = 28; 0 < shift; shift -= 7) {
                if (0 < arc >>> shift) {
                    content.write(arc >>> shift & 0x7f | 0x80);
                }
            }
            content.write(arc & 0x7f);
        }
        return element(0x06, content.toByteArray());
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 6);
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int skipped = length[0] == 0 ? 1 : 0;
            out.write(0x80 | length.length - skipped);
            out.write(length, skipped, length.length - skipped);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
