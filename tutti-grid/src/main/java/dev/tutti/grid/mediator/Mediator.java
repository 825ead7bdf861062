package dev.tutti.grid.mediator;

import dev.tutti.grid.member.GridMember;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

/**
 * A server through which processes without a node use the grid, over HTTP and WebSocket. It works at a member of the grid, and
 * publishes and subscribes there on behalf of its clients.
 *
 * <p>Several mediators of a site share the work: clients have a list of them, and go to another one when theirs is gone.
 */
public final class Mediator implements AutoCloseable {

    private final GridMember grid;
    private final MediatorCounters counters = new MediatorCounters();
    private final Listener listener;

    Mediator(MediatorBuilder options) {
        this.grid = options.grid();
        grid.clients().keepAtMost(options.settings().keptBytes());
        this.listener = new Listener(options, counters, this::numbers);
    }

    /** Begins to describe a mediator at a member of the grid, which the mediator does not close. */
    public static MediatorBuilder on(GridMember grid) {
        return new MediatorBuilder(grid);
    }

    /** Returns the port that was bound. */
    public int port() {
        return listener.port();
    }

    /** Returns its address, for clients on this host if it listens on all addresses. */
    public URI url() {
        return listener.url();
    }

    /** Returns numbers for monitoring: those of the member, and those of its clients. */
    public Map<String, Long> numbers() {
        Map<String, Long> all = new TreeMap<>(grid.status());
        all.putAll(counters.all());
        all.putAll(listener.numbers());
        return all;
    }

    /** Ends all connections; clients go to another mediator. Blocks for some seconds at most. Idempotent. */
    @Override
    public void close() {
        listener.close();
    }
}
