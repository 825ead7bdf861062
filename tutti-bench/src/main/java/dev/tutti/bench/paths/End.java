package dev.tutti.bench.paths;

import java.util.concurrent.Semaphore;

/** The end of a path at which contents are sent, and answers arrive. Used by one thread. */
interface End extends AutoCloseable {

    /** Takes what arrives. */
    interface Arrivals {

        /** @param content valid during the call */
        void onContent(int source, byte[] content, Answer answer);

        /** @param count number of contents that are missing; 0 if it is not known */
        default void onGap(long count) {}
    }

    /** Sends a content back. */
    interface Answer {
        void send(byte[] content);
    }

    /** Sends a content, which may be changed afterwards. It may wait in a buffer. */
    void send(byte[] content);

    /** Sends what waits in the buffer. */
    void flush();

    /** Waits until a permit is released by {@link Arrivals}; returns false if that has taken too long. */
    boolean await(Semaphore permits, int count);

    @Override
    void close();
}
