package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * Content of messages, and its sum: the sum of its 64-bit words and of the bytes left over.
 *
 * <pre>
 * u16 rank of the sender, u16 its thread, u32 phase (its complement: the end of it), u64 number in the phase
 * (-1: the phase begins), u64 time of sending or 0, then anything;
 * of an end: u64 number of messages in the phase, u64 sum of their sums
 * </pre>
 *
 * A smaller message is recognized by its length: the first byte holds the rank in its upper half, followed by as many
 * low bits of the number as there is room for.
 */
public final class Content {

    /** Smallest message with a header; also the size of a beginning and an end. */
    public static final int BYTES_MIN = 40;

    /** Number of ranks for which smaller messages have room. */
    static final int SMALL_MEMBERS_MAX = 16;

    public static final int SENDER = 0;
    public static final int PHASE = 4;
    public static final int NUMBER = 8;
    public static final int TIME = 16;
    public static final int COUNT = 24;
    public static final int SUM = 32;

    /** Number of a beginning. */
    public static final long BEGINNING = -1;

    public static final VarHandle ARRAY_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    public static final VarHandle ARRAY_INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    public static final VarHandle BUFFER_LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    public static final VarHandle BUFFER_INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int THREAD_SHIFT = 16;
    private static final int SMALL_NUMBER_BITS = 4;
    private static final int SMALL_NUMBER_BYTES_MAX = 7;

    private Content() {}

    /** Returns a message with number and time 0; the bytes after the header look random and depend on the sender. */
    public static byte[] message(int rank, int thread, int phase, int bytes) {
        if (bytes < BYTES_MIN) {
            throw new BenchException("a message with a header has at least " + BYTES_MIN + " bytes, not " + bytes);
        }
        byte[] message = new byte[bytes];
        new Random(rank).nextBytes(message);
        ARRAY_INT.set(message, SENDER, rank | thread << THREAD_SHIFT);
        ARRAY_INT.set(message, PHASE, phase);
        ARRAY_LONG.set(message, NUMBER, 0L);
        ARRAY_LONG.set(message, TIME, 0L);
        return message;
    }

    public static int rank(int sender) {
        return sender & 0xffff;
    }

    public static int thread(int sender) {
        return sender >>> THREAD_SHIFT;
    }

    /** Returns the announcement of a phase with small messages. */
    public static byte[] beginning(int rank, int phase) {
        byte[] beginning = message(rank, 0, phase, BYTES_MIN);
        ARRAY_LONG.set(beginning, NUMBER, BEGINNING);
        return beginning;
    }

    /** Returns the end of a phase, with the number of messages that were sent in it and their sum. */
    public static byte[] end(int rank, int thread, int phase, long count, long sum) {
        byte[] end = message(rank, thread, ~phase, BYTES_MIN);
        ARRAY_LONG.set(end, COUNT, count);
        ARRAY_LONG.set(end, SUM, sum);
        return end;
    }

    // ------------------------------------------------------------------ small messages

    public static byte[] small(int rank, int bytes) {
        byte[] message = new byte[bytes];
        new Random(rank).nextBytes(message);
        return message;
    }

    public static void number(byte[] small, int rank, long number) {
        small[0] = (byte) (rank << SMALL_NUMBER_BITS | number & 0xf);
        int bytes = Math.min(SMALL_NUMBER_BYTES_MAX, small.length - 1);
        for (int index = 1; index <= bytes; index++) {
            small[index] = (byte) (number >>> SMALL_NUMBER_BITS + Byte.SIZE * (index - 1));
        }
    }

    public static int smallRank(byte first) {
        return first >>> SMALL_NUMBER_BITS & 0xf;
    }

    /** Returns the mask of the number's bits that a small message of this length carries. */
    public static long smallMask(int length) {
        return (1L << SMALL_NUMBER_BITS + Byte.SIZE * Math.min(SMALL_NUMBER_BYTES_MAX, length - 1)) - 1;
    }

    public static long smallNumber(ByteBuffer bytes, int offset, int length) {
        long number = 0;
        for (int index = Math.min(SMALL_NUMBER_BYTES_MAX, length - 1); index >= 1; index--) {
            number = number << Byte.SIZE | bytes.get(offset + index) & 0xff;
        }
        return number << SMALL_NUMBER_BITS | bytes.get(offset) & 0xf;
    }

    public static long smallNumber(byte[] bytes, int offset, int length) {
        long number = 0;
        for (int index = Math.min(SMALL_NUMBER_BYTES_MAX, length - 1); index >= 1; index--) {
            number = number << Byte.SIZE | bytes[offset + index] & 0xff;
        }
        return number << SMALL_NUMBER_BITS | bytes[offset] & 0xf;
    }

    // ------------------------------------------------------------------ sums

    public static long sum(byte[] bytes, int offset, int length) {
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

    public static long sum(ByteBuffer bytes, int offset, int length) {
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
