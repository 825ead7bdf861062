package dev.tutti.grid.bridges.internal.door;

import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.internal.door.Doorkeeper;
import dev.tutti.grid.internal.door.Entrance;
import dev.tutti.internal.door.Places;
import java.net.URI;
import java.util.function.Function;

/** The server of a bridge: one thread for its connections. Requests are answered on threads of their own. */
public final class Door implements AutoCloseable {

    private static final int CONNECTIONS_MAX = 1_000;
    private static final int HOST_CONNECTIONS_MAX = 250;

    /** Name of tokens for bridges. */
    private static final String NAME = "bridges";

    private final Desk desk;
    private final Entrance entrance;

    /**
     * Listens.
     *
     * @param name the server, for people
     * @param service answers requests, on threads that may wait
     * @throws IllegalArgumentException if it would not be safe, or a file can't be used; the message says what would be right
     * @throws IllegalStateException if the address can't be bound
     */
    public Door(String name, ServerOptions options, Function<Call, Reply> service) {
        Doorkeeper doorkeeper = new Doorkeeper(name, NAME, options);
        this.desk = new Desk(doorkeeper, service);
        this.entrance = new Entrance(
                name,
                doorkeeper,
                options,
                new Places(CONNECTIONS_MAX, HOST_CONNECTIONS_MAX),
                1,
                (accepted, place) -> accepted.pipeline().addLast(Entrance.codec(), new Visit(desk, place)));
    }

    /** Returns the address of a path. */
    public URI url(String path) {
        return entrance.url(path);
    }

    /** Returns the number of requests. */
    public long requests() {
        return desk.requests();
    }

    /** Returns the number of requests that were not given to the bridge: without a valid token, malformed, too large, or too many at a time. */
    public long refused() {
        return desk.refused();
    }

    /** Ends the server and its connections. Idempotent. */
    @Override
    public void close() {
        entrance.close();
    }
}
