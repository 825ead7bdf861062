package dev.tutti.core.driver;

import org.jspecify.annotations.Nullable;

/**
 * Small persistent records by key. A machine asks a question when it drains, and gets the answer as an input in a later
 * turn. Questions of one node are processed in order, so that a load sees all earlier stores.
 */
public interface DurableStore {

    /** Bytes of the largest record. */
    int BYTES_MAX = 8 * 1024 * 1024;

    /** Receiver of the answers; called on the loop, as a part of a turn. */
    interface Client {

        /** @param record null if there is none under this key */
        void onLoaded(long nowNanos, int question, byte @Nullable [] record);

        /** The record is stored, and survives the end of the process and a loss of power. */
        void onStored(long nowNanos, int question);

        /**
         * The record could not be read, or not be written; in the latter case either the old or the new one is stored.
         *
         * @param detail for people: the operation, the place, the reason
         */
        void onFailed(long nowNanos, int question, String detail);
    }

    void load(int question, String key, Client client);

    /** Replaces the record of the key atomically: afterwards the old or the new one is there, even after a failure. */
    void store(int question, String key, byte[] record, Client client);

    /** Returns records that keep nothing, and fail. */
    static DurableStore none() {
        return new DurableStore() {
            @Override
            public void load(int question, String key, Client client) {
                throw new IllegalStateException("record '" + key + "' can't be loaded: this driver keeps no records");
            }

            @Override
            public void store(int question, String key, byte[] record, Client client) {
                throw new IllegalStateException("record '" + key + "' can't be stored: this driver keeps no records");
            }
        };
    }
}
