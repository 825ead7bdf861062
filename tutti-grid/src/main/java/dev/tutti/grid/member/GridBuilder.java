package dev.tutti.grid.member;

import dev.tutti.Node;
import dev.tutti.grid.store.MemoryStore;
import dev.tutti.grid.store.RegistryStore;
import dev.tutti.sites.Sites;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options of a member of the grid. Not for use by several threads. */
public final class GridBuilder {

    /** Most bytes that may wait for one member, or for one site. */
    private static final long QUEUE_MAX = 1L << 30;

    private static final long QUEUE_MIN = 8L << 20;
    private static final long QUEUE_DEFAULT = 16L << 20;
    private static final Duration LINGER_DEFAULT = Duration.ofMillis(15);
    private static final Duration LINGER_MAX = Duration.ofSeconds(1);
    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);

    private final Node node;
    private final @Nullable Sites sites;
    private String name = "grid";
    private @Nullable RegistryStore store;
    private long queueBytes = QUEUE_DEFAULT;
    private Duration linger = LINGER_DEFAULT;
    private Duration timeout = TIMEOUT_DEFAULT;
    private boolean hasLinks;

    GridBuilder(Node node, @Nullable Sites sites) {
        this.node = node;
        this.sites = sites;
    }

    /** Sets the name of the grid. It is the beginning of its groups' names; {@code grid} by default. */
    public GridBuilder name(String text) {
        name = text;
        return this;
    }

    /** Sets the store from which queries of the registry are answered: one in memory by default. The grid closes it. */
    public GridBuilder store(RegistryStore own) {
        store = own;
        return this;
    }

    /**
     * Sets the most bytes of measurements that wait to be sent to one member, or to one site: 8 MiB to 1 GiB, 16 MiB by default. If
     * more would wait, the oldest are dropped, and the consumers there are told.
     */
    public GridBuilder queue(long bytes) {
        if (bytes < QUEUE_MIN || bytes > QUEUE_MAX) {
            throw new IllegalArgumentException("the queue of a grid has " + QUEUE_MIN + " to " + QUEUE_MAX + " bytes, not " + bytes);
        }
        queueBytes = bytes;
        return this;
    }

    /**
     * Sets the longest time for which a measurement for another site waits for others that go there, to be sent in one message with them: none to one
     * second, 15 ms by default. Every message between sites passes two members that relay it, so that fewer of them cost all members less; the
     * member that sends them to the other site lets as much time pass between two messages. Within a site measurements do not wait.
     */
    public GridBuilder linger(Duration time) {
        if (time.isNegative() || time.compareTo(LINGER_MAX) > 0) {
            throw new IllegalArgumentException("the linger time of a grid is 0 to 1 s, not " + time);
        }
        linger = time;
        return this;
    }

    /** Sets the time for which {@link #join} waits for the entries of the other members: ten seconds by default. */
    public GridBuilder timeout(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("the timeout of a grid is positive, not " + time);
        }
        timeout = time;
        return this;
    }

    /**
     * Lets the member publish every ten seconds how its links are, at the topics {@code tutti/links/SITE/NODE/PEER/...}: those to other
     * members of its site and, where it is a master, to other sites. It does not by default.
     */
    public GridBuilder links() {
        hasLinks = true;
        return this;
    }

    /**
     * Joins the grid, and waits for the entries of the members that are there.
     *
     * @throws IllegalStateException if they have not come within the timeout
     */
    public GridMember join() {
        return GridMember.join(this);
    }

    Node node() {
        return node;
    }

    @Nullable Sites sites() {
        return sites;
    }

    String name() {
        return name;
    }

    RegistryStore store() {
        return store == null ? new MemoryStore() : store;
    }

    long queueBytes() {
        return queueBytes;
    }

    Duration linger() {
        return linger;
    }

    Duration timeout() {
        return timeout;
    }

    boolean hasLinks() {
        return hasLinks;
    }
}
