package dev.tutti.core.driver;

import org.jspecify.annotations.Nullable;

/**
 * Small records that outlast a process, by key: a question that a machine asks when it drains, and that is answered as an
 * input, in a later turn. Questions of one node are worked on in their order, so that a load sees all stores before it.
 */
public interface Records {

    /** Bytes of the largest record. */
    int BYTES_MAX = 8 * 1024 * 1024;

    /** Who has asked; called on the loop, as a part of a turn. */
    interface Client {

        /** @param record null if there is none under this key */
        void onLoaded(long nowNanos, int question, byte @Nullable [] record);

        /** The record is where it stays over an end of the process, and of the machine's power. */
        void onStored(long nowNanos, int question);

        /**
         * It could not be read, or not be written; then what is kept is what was there before, or what was to be written.
         *
         * @param detail for people: what, where, why
         */
        void onFailed(long nowNanos, int question, String detail);
    }

    void load(int question, String key, Client client);

    /** Replaces what was kept under the key: afterwards one or the other is there, whole, whatever happens meanwhile. */
    void store(int question, String key, byte[] record, Client client);

    /** Keeps nothing, and says so. */
    static Records none() {
        return new Records() {
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
