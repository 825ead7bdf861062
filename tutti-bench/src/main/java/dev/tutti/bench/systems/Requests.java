package dev.tutti.bench.systems;

import java.util.List;

/**
 * Requests between members, each made by a thread that waits for the answer: reads of a value from one member, writes of a
 * value to several. Many threads may call at a time.
 */
public interface Requests extends AutoCloseable {

    /** Number of keys, which count from 0. */
    int KEYS = 1_024;

    /**
     * Returns the value that a member has under a key.
     *
     * @throws Exception if no answer came
     */
    byte[] get(int rank, int key) throws Exception;

    /**
     * Sets the value under a key at several members.
     *
     * @return whether all of them have confirmed it
     * @throws Exception if the request could not be made
     */
    boolean put(List<Integer> ranks, int key, byte[] value) throws Exception;

    @Override
    void close();

    /** Values of one member: one under each key, which begins with the key and has a sum of its own. */
    final class Values {
        private final byte[][] values = new byte[KEYS][];

        public Values(int bytes) {
            for (int key = 0; key < KEYS; key++) {
                values[key] = of(key, bytes);
            }
        }

        public static byte[] of(int key, int bytes) {
            byte[] value = Content.message(0, 0, key, bytes);
            Content.ARRAY_LONG.set(value, Content.SUM, 0L);
            Content.ARRAY_LONG.set(value, Content.SUM, Content.sum(value, 0, bytes));
            return value;
        }

        /** Returns whether the value is one that was set under this key, unchanged. */
        public static boolean isWhole(byte[] value, int key, int bytes) {
            if (value.length != bytes || (int) Content.ARRAY_INT.get(value, Content.PHASE) != key) {
                return false;
            }
            long sum = (long) Content.ARRAY_LONG.get(value, Content.SUM);
            return Content.sum(value, 0, bytes) == 2 * sum;
        }

        byte[] get(int key) {
            return values[key];
        }

        boolean put(int key, byte[] value) {
            boolean isWhole = isWhole(value, key, values[key].length);
            if (isWhole) {
                values[key] = value;
            }
            return isWhole;
        }
    }
}
