package dev.tutti.bench.paths;

import java.util.Locale;

/** A way of measurements from one process to another, and back. */
enum PathKind {

    /** One connection, which is kept open. */
    SOCKET("one TCP connection, kept open; streams are written in pieces of 32 KiB"),

    /** A connection for each message. */
    SOCKET_EACH("a TCP connection for each message, closed when it has arrived"),

    /** Two members of a grid, without anything in between. */
    DIRECT("two members of a grid, on nodes with TCP"),

    /** Two clients of a mediator, which is a process of its own. */
    MEDIATOR("two clients of a mediator, over WebSockets"),

    /** The same, but measurements are posted as JSON. */
    POST("measurements are posted to a mediator as JSON, each over a connection of its own, and come by WebSocket");

    /** Most bytes of a content that is posted: the mediator takes requests of 1 MiB, and Base64 makes four bytes of three. */
    private static final int POSTED_MAX = 700 << 10;

    private final String description;

    PathKind(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }

    boolean isSocket() {
        return this == SOCKET || this == SOCKET_EACH;
    }

    boolean hasMediator() {
        return this == MEDIATOR || this == POST;
    }

    /** Returns whether one measurement may have a content of this size. */
    boolean takes(int bytes) {
        return this != POST || bytes <= POSTED_MAX;
    }

    /** Returns whether many producers are measured on it. */
    boolean takesMany() {
        return this != POST && this != SOCKET_EACH;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
