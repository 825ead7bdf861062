package dev.tutti.undertow;

import dev.tutti.Threads;
import io.undertow.server.ExchangeCompletionListener;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.SessionConfig;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request from the first look for its session to its end. Used by one thread at a time, as its exchange is, but for the session. */
final class Request implements ExchangeCompletionListener {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final ReplicatedManager manager;
    private final Threads threads;
    private final long startedMillis;
    private volatile @Nullable ReplicatedSession session;
    private @Nullable SessionConfig config;
    private @Nullable String missing;

    Request(ReplicatedManager manager, Threads threads) {
        this.manager = manager;
        this.threads = threads;
        this.startedMillis = threads.epochMillis();
    }

    /** Returns when it began, in milliseconds since 1970. */
    long startedMillis() {
        return startedMillis;
    }

    /** Returns its session, which may have ended; null if it has none, or none was looked for. */
    @Nullable ReplicatedSession session() {
        return session;
    }

    /** Returns where its session's id was found or put; null if it has none. */
    @Nullable SessionConfig config() {
        return config;
    }

    /** Returns whether no session was found under this id. */
    boolean isMissing(String id) {
        return id.equals(missing);
    }

    void onMissing(String id) {
        missing = id;
    }

    void onSession(ReplicatedSession found, SessionConfig place) {
        ReplicatedSession before = session;
        if (before != null) {
            manager.release(before);
        }
        session = found;
        config = place;
    }

    /**
     * Writes what requests have changed in the session, and waits until other nodes have it. An I/O thread does not wait.
     *
     * @return done when they have it, or that has failed
     */
    CompletableFuture<Void> commit() {
        ReplicatedSession present = session;
        if (present == null) {
            return DONE;
        }
        if (!IoThreads.isCurrent()) {
            manager.write(present);
            return DONE;
        }
        CompletableFuture<Void> written = new CompletableFuture<>();
        threads.start("tutti-session-write", () -> {
            try {
                manager.write(present);
            } finally {
                written.complete(null);
            }
        });
        return written;
    }

    @Override
    public void exchangeEvent(HttpServerExchange exchange, NextListener next) {
        ReplicatedSession present = session;
        session = null;
        if (present != null) {
            present.onRequestDone(startedMillis);
            manager.release(present);
        }
        next.proceed();
    }
}
