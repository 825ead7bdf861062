package dev.tutti.bench.process;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A state of any size in little memory: each of its blocks is computed from its number and a value that messages
 * change, and only the values are kept. Installing it checks every byte.
 *
 * <p>The stream is a header block (u64 number of blocks, then per sender u64 last message) and the blocks.
 */
final class StateImage implements GroupState {

    static final int BLOCK_BYTES = 4096;
    static final int SENDERS_MAX = 64;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** Number of blocks that are written at once. */
    private static final int WRITTEN_BLOCKS = 16;

    /** Receives the events of the state. */
    interface Listener {
        void onSnapshot(long hash, long nanos);

        void onInstalled(long bytes, long totalBytes);
    }

    /** Number of blocks before it has grown. */
    private static final int FEW_BLOCKS = 1024;

    private final int blocksMax;
    private long[] values = new long[FEW_BLOCKS];
    private final long[] lastOf = new long[SENDERS_MAX];
    private final Listener listener;
    private long faults;

    /** @param bytesMax size to which it grows */
    StateImage(long bytesMax, Listener listener) {
        this.blocksMax = Math.toIntExact(Math.max(FEW_BLOCKS, bytesMax / BLOCK_BYTES));
        this.listener = listener;
    }

    /** Makes the state large. It is small before, so that the first members need not transfer all of it. */
    void grow() {
        values = Arrays.copyOf(values, blocksMax);
    }

    long bytes() {
        return (values.length + 1L) * BLOCK_BYTES;
    }

    /** Applies the next message of a sender. The order of messages of different senders makes no difference. */
    void onMessage(int sender, long number) {
        if (number != lastOf[sender] + 1) {
            faults++;
        }
        lastOf[sender] = number;
        long mixed = mix(number * SENDERS_MAX + sender);
        values[(int) Long.remainderUnsigned(mixed, values.length)] += mixed | 1;
    }

    long lastOf(int sender) {
        return lastOf[sender];
    }

    /** Returns the number of messages that were missing or came twice. */
    long faults() {
        return faults;
    }

    long hash() {
        return hash(values, lastOf);
    }

    private static long hash(long[] of, long[] last) {
        long hash = 1;
        for (long value : of) {
            hash = hash * 31 + value;
        }
        for (long value : last) {
            hash = hash * 31 + value;
        }
        return mix(hash);
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /** Fills a block: its value, then words that follow from number and value. */
    private static void fill(ByteBuffer block, int at, int number, long value) {
        block.putLong(at, value);
        long word = mix(number + value);
        for (int index = at + Long.BYTES; index < at + BLOCK_BYTES; index += Long.BYTES) {
            block.putLong(index, word);
            word += GOLDEN;
        }
    }

    private static boolean isRight(ByteBuffer block, int number) {
        long word = mix(number + block.getLong(0));
        long wrong = 0;
        for (int index = Long.BYTES; index < BLOCK_BYTES; index += Long.BYTES) {
            wrong |= block.getLong(index) ^ word;
            word += GOLDEN;
        }
        return wrong == 0;
    }

    @Override
    public boolean isReproducible() {
        return true;
    }

    @Override
    public Snapshot snapshot() {
        long begun = System.nanoTime();
        long[] copy = values.clone();
        long[] lastCopy = lastOf.clone();
        listener.onSnapshot(hash(copy, lastCopy), System.nanoTime() - begun);
        return new Image(copy, lastCopy);
    }

    @Override
    public void install(InputStream in) throws IOException {
        byte[] bytes = new byte[BLOCK_BYTES];
        ByteBuffer block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        read(in, bytes);
        long blocks = block.getLong(0);
        if (blocks != FEW_BLOCKS && blocks != blocksMax) {
            throw new IOException("a state of " + blocks + " blocks instead of " + blocksMax);
        }
        values = new long[(int) blocks];
        for (int sender = 0; sender < SENDERS_MAX; sender++) {
            lastOf[sender] = block.getLong((sender + 1) * Long.BYTES);
        }
        for (int number = 0; number < values.length; number++) {
            read(in, bytes);
            if (!isRight(block, number)) {
                throw new IOException("block " + number + " is not what it was");
            }
            values[number] = block.getLong(0);
            if ((number & 1023) == 0) {
                listener.onInstalled((number + 2L) * BLOCK_BYTES, bytes());
            }
        }
        if (in.read() >= 0) {
            throw new IOException("there is more than the state");
        }
        listener.onInstalled(bytes(), bytes());
    }

    private static void read(InputStream in, byte[] into) throws IOException {
        if (in.readNBytes(into, 0, into.length) < into.length) {
            throw new EOFException("the state ends too early");
        }
    }

    private record Image(long[] values, long[] lastOf) implements Snapshot {

        @Override
        public void write(OutputStream out) throws IOException {
            write(out, 0);
        }

        @Override
        public void write(OutputStream out, long offset) throws IOException {
            byte[] bytes = new byte[WRITTEN_BLOCKS * BLOCK_BYTES];
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            long skip = offset % BLOCK_BYTES;
            long next = offset / BLOCK_BYTES;
            while (next <= values.length) {
                int filled = 0;
                while (filled < bytes.length && next <= values.length) {
                    if (next == 0) {
                        header(buffer);
                    } else {
                        fill(buffer, filled, (int) next - 1, values[(int) next - 1]);
                    }
                    filled += BLOCK_BYTES;
                    next++;
                }
                out.write(bytes, (int) skip, filled - (int) skip);
                skip = 0;
            }
        }

        private void header(ByteBuffer into) {
            into.putLong(0, values.length);
            for (int index = 0; index < BLOCK_BYTES / Long.BYTES - 1; index++) {
                into.putLong((index + 1) * Long.BYTES, index < SENDERS_MAX ? lastOf[index] : 0);
            }
        }

        @Override
        public long bytes() {
            return (values.length + 1L) * BLOCK_BYTES;
        }
    }
}
