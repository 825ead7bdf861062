package dev.tutti.netty.internal.security;

import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.netty.internal.reload.ReloadedFiles;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Checks open TLS connections every {@link ReloadedFiles#CHECK_NANOS}: changed files are read again, on a worker, and a
 * connection whose certificate is not trusted any more ends. Used on the loop only.
 *
 * @param <C> connection
 */
public final class Recheck<C> {

    private record Doubt<C>(C connection, String reason) {}

    private final Security security;
    private final Loop loop;
    private final Supplier<Map<C, List<X509Certificate>>> connections;
    private final BiConsumer<C, String> onDistrusted;

    /**
     * @param connections connections with the certificates of their other ends
     * @param onDistrusted ends a connection, for a reason
     */
    public Recheck(
            Security security,
            Loop loop,
            Supplier<Map<C, List<X509Certificate>>> connections,
            BiConsumer<C, String> onDistrusted) {
        this.security = security;
        this.loop = loop;
        this.connections = connections;
        this.onDistrusted = onDistrusted;
    }

    public void schedule() {
        if (!loop.isEnded()) {
            loop.executor().schedule(this::look, ReloadedFiles.CHECK_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        Map<C, List<X509Certificate>> open = connections.get();
        try {
            loop.workers().execute(() -> check(open));
        } catch (RejectedExecutionException e) {
            // All workers are busy: the next look finds the same.
            schedule();
        }
    }

    /** Checks connections. On a worker. */
    private void check(Map<C, List<X509Certificate>> open) {
        boolean isChanged = security.refresh();
        Trust trust = security.trust();
        Instant now = Instant.now();
        List<Doubt<C>> doubts = new ArrayList<>();
        for (Map.Entry<C, List<X509Certificate>> each : open.entrySet()) {
            String reason = trust.objection(each.getValue(), now, isChanged);
            if (reason != null) {
                doubts.add(new Doubt<>(each.getKey(), reason));
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
