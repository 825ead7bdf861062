package dev.tutti.bench.paths;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Contents of one size, numbered from 0, and the check of those that arrive. A content that is too small for the number has its low byte. */
final class Contents {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOW_BYTE = 0xff;

    private final byte[] template;
    private final int numberBytes;
    private long next;
    private long arrived;
    private @Nullable String fault;

    Contents(int bytes) {
        template = new byte[bytes];
        // The same at both ends.
        new Random(bytes).nextBytes(template);
        numberBytes = bytes >= Long.BYTES ? Long.BYTES : 1;
    }

    /** Returns a content to be {@linkplain #number numbered}. */
    byte[] content() {
        return template.clone();
    }

    static void number(byte[] content, long number) {
        if (content.length >= Long.BYTES) {
            LONG.set(content, 0, number);
        } else {
            content[0] = (byte) number;
        }
    }

    /** Checks a content that has arrived: its bytes, and that it is the next one. */
    void onArrived(byte[] content) {
        arrived++;
        if (content.length != template.length
                || !Arrays.equals(content, numberBytes, content.length, template, numberBytes, template.length)) {
            onFault("content " + next + " has arrived changed, with " + content.length + " bytes of " + template.length);
            return;
        }
        long skipped = numberBytes == 1 ? content[0] - next & LOW_BYTE : (long) LONG.get(content, 0) - next;
        if (skipped < 0) {
            onFault("content " + (next + skipped) + " has arrived after " + (next - 1));
            return;
        }
        next += skipped + 1;
    }

    private void onFault(String text) {
        if (fault == null) {
            fault = text;
        }
    }

    /** Returns the first fault; null if there is none. */
    @Nullable String fault() {
        return fault;
    }

    long arrived() {
        return arrived;
    }
}
