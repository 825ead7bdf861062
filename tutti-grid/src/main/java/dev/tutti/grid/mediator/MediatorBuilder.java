package dev.tutti.grid.mediator;

import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.member.Clients;
import dev.tutti.grid.member.GridMember;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;

/** Options of a mediator. Not for use by several threads. */
public final class MediatorBuilder {

    /** Port by default. */
    public static final int PORT_DEFAULT = 7795;

    /** Least bytes of memory for all clients. */
    static final long MEMORY_MIN = 32L << 20;

    private static final long QUEUE_MIN = 8L << 20;
    private static final long QUEUE_MAX = 1L << 30;
    private static final long MEMORY_MAX = 1L << 40;
    private static final long MEMORY_DEFAULT = 64L << 20;
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);
    private static final int CONNECTIONS_DEFAULT = 10_000;
    private static final int HISTORY_DEFAULT = 1_000;

    private final GridMember grid;
    private ServerOptions server = ServerOptions.port(PORT_DEFAULT);
    private Duration lease = Clients.LEASE_DEFAULT;
    private long queueBytes = QUEUE_MIN;
    private long memoryBytes = MEMORY_DEFAULT;
    private int historyMax = HISTORY_DEFAULT;
    private boolean isRehearsing;

    MediatorBuilder(GridMember grid) {
        this.grid = grid;
    }

    /** Sets the address to listen on: loopback by default. */
    public MediatorBuilder bind(InetAddress own) {
        server = server.bind(own);
        return this;
    }

    /** Sets the port to listen on: 7795 by default; 0 takes any free one. */
    public MediatorBuilder port(int number) {
        server = server.withPort(number);
        return this;
    }

    /** Sets the PEM files of the certificate chain and of its private key. They are read again after a change. */
    public MediatorBuilder tls(Path chain, Path privateKey) {
        server = server.tls(chain, privateKey);
        return this;
    }

    /** Sets the PEM file of authorities: clients with a certificate of one of them need no token. */
    public MediatorBuilder authority(Path authorities) {
        server = server.authority(authorities);
        return this;
    }

    /** Sets the file with lines {@code GRID TOKEN}, or {@code * TOKEN}. Its owner alone may read it. */
    public MediatorBuilder tokens(Path file) {
        server = server.tokens(file);
        return this;
    }

    /**
     * Sets the names by which clients call the host, besides its addresses and {@code localhost}. They matter where everybody is let in: a
     * page of the web that has its own name lead here is recognized by that name.
     */
    public MediatorBuilder names(String... hosts) {
        server = server.names(hosts);
        return this;
    }

    /** Lets everybody use the mediator who reaches it, also without TLS. */
    public MediatorBuilder insecure() {
        server = server.insecure();
        return this;
    }

    /** Sets the time for which entries of clients stay without a connection: a second to an hour, 20 seconds by default. */
    public MediatorBuilder lease(Duration time) {
        if (time.compareTo(LEASE_MIN) < 0 || time.compareTo(Clients.LEASE_MAX) > 0) {
            throw new IllegalArgumentException("a lease is " + LEASE_MIN + " to " + Clients.LEASE_MAX + ", not " + time);
        }
        lease = time;
        return this;
    }

    /**
     * Sets the most bytes of measurements that wait for one client: 8 MiB to 1 GiB, 8 MiB by default. If more would wait, the oldest
     * are dropped, and the client is told.
     */
    public MediatorBuilder queue(long bytes) {
        if (bytes < QUEUE_MIN || bytes > QUEUE_MAX) {
            throw new IllegalArgumentException("the queue of a client has " + QUEUE_MIN + " to " + QUEUE_MAX + " bytes, not " + bytes);
        }
        queueBytes = bytes;
        return this;
    }

    /**
     * Sets the memory for all clients together: 32 MiB to 1 TiB, 64 MiB by default, which is for a heap of 256 MiB. A half is for
     * measurements and answers that wait for clients; beyond it, the client for which the most waits loses its oldest measurements, or its
     * connection if these are answers. A quarter is for requests and messages whose ends have not come; beyond it, the connection that has
     * the most is closed. A quarter is for entries and kept measurements; beyond it, the producer that has the most forgets its oldest
     * ones, and entries are refused if there are none.
     */
    public MediatorBuilder memory(long bytes) {
        if (bytes < MEMORY_MIN || bytes > MEMORY_MAX) {
            throw new IllegalArgumentException("the memory for clients has " + MEMORY_MIN + " to " + MEMORY_MAX + " bytes, not " + bytes);
        }
        memoryBytes = bytes;
        return this;
    }

    /** Sets the most measurements that the mediator keeps for a client's producer: 1,000 by default. */
    public MediatorBuilder history(int measurements) {
        if (measurements < 0 || measurements > ProducerOptions.HISTORY_MAX) {
            throw new IllegalArgumentException("a mediator keeps 0 to " + ProducerOptions.HISTORY_MAX + " measurements of a producer, not " + measurements);
        }
        historyMax = measurements;
        return this;
    }

    /**
     * Has the mediator do all its work once, in a grid of its own within this JVM, while it has no clients yet: for some ten seconds after
     * its start. Otherwise, when another mediator crashes, its clients wait at this one while the JVM
     * loads and compiles code. It happens once for each JVM.
     */
    public MediatorBuilder rehearse() {
        isRehearsing = true;
        return this;
    }

    /**
     * Starts the mediator. Returns when it accepts connections.
     *
     * @throws IllegalArgumentException if it would not be safe, or a file can't be used; the message says what would be right
     * @throws IllegalStateException if the address can't be bound
     */
    public Mediator open() {
        Mediator mediator = new Mediator(this);
        if (isRehearsing) {
            Rehearsal.begin();
        }
        return mediator;
    }

    GridMember grid() {
        return grid;
    }

    ServerOptions server() {
        return server;
    }

    int connectionsMax() {
        return CONNECTIONS_DEFAULT;
    }

    MediatorSettings settings() {
        return new MediatorSettings(grid, grid.clients(), grid.node(), grid::whyLeft, lease, queueBytes, historyMax, memoryBytes);
    }
}
