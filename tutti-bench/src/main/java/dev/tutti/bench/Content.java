package dev.tutti.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * What is sent, and its sum: the sum of its 64-bit words and of the bytes left over.
 *
 * <pre>
 * u32 rank of the sender, u32 phase (its complement: the end of it), u64 number in the phase, u64 time of sending or 0,
 * then anything; of an end: u64 number of messages in the phase, u64 sum of their sums
 * </pre>
 */
final class Content {

    /** Smallest message; also what an end takes. */
    static final int BYTES_MIN = 40;

    static final int RANK = 0;
    static final int PHASE = 4;
    static final int NUMBER = 8;
    static final int TIME = 16;
    static final int COUNT = 24;
    static final int SUM = 32;

    static final VarHandle ARRAY_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle ARRAY_INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle BUFFER_LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle BUFFER_INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Content() {}

    /** A message with number and time 0; what follows the header looks random and depends on the sender. */
    static byte[] message(int rank, int phase, int bytes) {
        if (bytes < BYTES_MIN) {
            throw new BenchException("a message has at least " + BYTES_MIN + " bytes, not " + bytes);
        }
        byte[] message = new byte[bytes];
        new Random(rank).nextBytes(message);
        ARRAY_INT.set(message, RANK, rank);
        ARRAY_INT.set(message, PHASE, phase);
        ARRAY_LONG.set(message, NUMBER, 0L);
        ARRAY_LONG.set(message, TIME, 0L);
        return message;
    }

    /** Says that {@code count} messages were sent in the phase, and their sum. */
    static byte[] end(int rank, int phase, long count, long sum) {
        byte[] end = message(rank, ~phase, BYTES_MIN);
        ARRAY_LONG.set(end, COUNT, count);
        ARRAY_LONG.set(end, SUM, sum);
        return end;
    }

    static long sum(byte[] bytes, int offset, int length) {
        long sum = 0;
        int index = offset;
        int end = offset + length;
        for (; index <= end - Long.BYTES; index += Long.BYTES) {
            sum += (long) ARRAY_LONG.get(bytes, index);
        }
        for (; index < end; index++) {
            sum += bytes[index];
        }
        return sum;
    }

    static long sum(ByteBuffer bytes, int offset, int length) {
        long sum = 0;
        int index = offset;
        int end = offset + length;
        for (; index <= end - Long.BYTES; index += Long.BYTES) {
            sum += (long) BUFFER_LONG.get(bytes, index);
        }
        for (; index < end; index++) {
            sum += bytes.get(index);
        }
        return sum;
    }
}
