package dev.tutti.bench.systems;

import dev.tutti.bench.watch.Watch;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One process's end of a system that is measured. An adapter only translates calls: it neither batches nor verifies, and
 * has no settings of its own beyond what its class comment names.
 *
 * <p>Used by one thread, but for {@link #multicast}, which several may call unless {@link SystemKind} says otherwise. The
 * listener is called by whichever threads the system delivers on.
 */
public interface GroupSystem extends AutoCloseable {

    /** The group that all members join. */
    String GROUP = "bench";

    /**
     * One member's place.
     *
     * @param rank from 0
     * @param ports of all members on the loopback address, by rank
     */
    record Seat(int rank, List<Integer> ports) {

        public int members() {
            return ports.size();
        }

        /** Returns the ranks of all members. */
        List<Integer> ranks() {
            return IntStream.range(0, members()).boxed().toList();
        }

        int port() {
            return ports.get(rank);
        }

        String name() {
            return name(rank);
        }

        /**
         * Returns an IP multicast address that no other cluster of this machine is likely to use.
         *
         * @param system keeps systems apart; 0 to 255
         */
        String multicastAddress(int system) {
            return "239.192." + system + "." + (1 + ports.getFirst() % 254);
        }

        /** Returns the port for {@link #multicastAddress}, which is none of {@link #ports}. */
        int multicastPort() {
            return MULTICAST_PORT_MIN + ports.getFirst() % 1_000;
        }

        /** Between the ports of members and the range from which Linux takes those of outgoing connections. */
        private static final int MULTICAST_PORT_MIN = 31_500;

        static String name(int rank) {
            return "m" + rank;
        }

        /** Returns the rank in a name that {@link #name(int)} made; -1 if it is no such name. */
        static int rankOf(String name) {
            return name.matches("m\\d{1,6}") ? Integer.parseInt(name.substring(1)) : -1;
        }
    }

    /** Receives a member's deliveries. Messages of one sender come in the order of calls, one at a time. */
    interface Listener {

        void onMessage(byte[] bytes, int offset, int length);

        /** Called with a range of {@code bytes}, valid during the call. */
        void onMessage(ByteBuffer bytes, int offset, int length);

        /**
         * @param members ranks of the view's members, those whose names are known
         * @param coordinator rank of the oldest member; -1 if its name is not known yet
         * @param id the same at all members that have this view, and without spaces
         */
        void onView(List<Integer> members, int coordinator, String id);
    }

    /** Binds the member's addresses. */
    void start();

    /** Joins {@link #GROUP}. */
    void join();

    /** Sends to all members, this one included; the array may be changed when the method returns. */
    void multicast(byte[] message);

    /** Sends to one member; the array may be changed when the method returns. */
    void unicast(int rank, byte[] message);

    /** Waits for a permit. Systems without threads of their own do their work meanwhile. */
    default boolean await(Semaphore semaphore, long timeoutNanos) {
        try {
            return semaphore.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns the number of packets that this member has sent so far, to tell messages per packet; 0 if unknown. */
    default long packetsSent() {
        return 0;
    }

    /** Returns the CPU time of processes that this member has started for the system, such as a broker. */
    default long startedCpuNanos() {
        return 0;
    }

    /** Writes the system's status, if that was asked for. */
    default void writeStatus() {}

    /** Joins further groups beside the first, and returns when each has all members. */
    default void openGroups(int count, long timeoutNanos) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has one group");
    }

    /**
     * Sends one message in each further group.
     *
     * @return whether all messages of all members have come back
     */
    default boolean exerciseGroups(long timeoutNanos) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has one group");
    }

    /** Begins to answer requests, and returns the client for them; called by all members at once, in the view. */
    default Requests requests(Requests.Values values) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no requests");
    }

    /**
     * Starts to be watched in this manner instead of the previous one, and returns the addresses to read.
     *
     * @param intervalNanos between two readings
     */
    default List<String> watch(Watch watch, long intervalNanos) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " can't be watched");
    }

    /** Leaves gracefully and releases everything. */
    @Override
    void close();

    /** Leaves the group; {@link #close} may follow, and releases the rest. */
    default void leave() {
        close();
    }
}
