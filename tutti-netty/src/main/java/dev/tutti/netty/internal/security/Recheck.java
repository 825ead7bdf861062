package dev.tutti.netty.internal.tcp;

import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.netty.internal.reload.ReloadedFiles;
import dev.tutti.netty.internal.security.Security;
import dev.tutti.netty.internal.security.Trust;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Checks open TLS connections every {@link ReloadedFiles#CHECK_NANOS}: changed files are read again, on a worker, and a
 * connection whose certificate is not trusted any more ends. Used on the loop only.
 */
final class Recheck {

    private record Doubt(NettyConnection connection, String reason) {}

    private final Security security;
    private final Loop loop;
    private final Supplier<List<NettyConnection>> connections;
    private final BiConsumer<NettyConnection, String> onDistrusted;

    /**
     * @param connections connections with a certificate of the other end
     * @param onDistrusted ends a connection, for a reason
     */
    Recheck(
            Security security,
            Loop loop,
            Supplier<List<NettyConnection>> connections,
            BiConsumer<NettyConnection, String> onDistrusted) {
        this.security = security;
        this.loop = loop;
        this.connections = connections;
        this.onDistrusted = onDistrusted;
    }

    void schedule() {
        if (!loop.isEnded()) {
            loop.executor().schedule(this::look, ReloadedFiles.CHECK_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        List<NettyConnection> open = connections.get();
        try {
            loop.workers().execute(() -> check(open));
        } catch (RejectedExecutionException e) {
            // All workers are busy: the next look finds the same.
            schedule();
        }
    }

    /** Checks connections. On a worker. */
    private void check(List<NettyConnection> open) {
        boolean isChanged = security.refresh();
        Trust trust = security.trust();
        Instant now = Instant.now();
        List<Doubt> doubts = new ArrayList<>();
        for (NettyConnection connection : open) {
            String reason = trust.objection(connection.certificates(), now, isChanged);
            if (reason != null) {
                doubts.add(new Doubt(connection, reason));
            }
        }
        try {
            loop.executor().execute(() -> {
                doubts.forEach(doubt -> onDistrusted.accept(doubt.connection(), doubt.reason()));
                schedule();
            });
        } catch (RejectedExecutionException e) {
            // The loop has ended, and all connections with it.
            doubts.clear();
        }
    }
}
