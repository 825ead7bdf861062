package dev.tutti.netty.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks names up on threads of its own, which exist only while there is something to look up. */
final class Resolver implements AutoCloseable {

    private static final int THREADS_MAX = 4;
    private static final int WAITING_MAX = 1_024;
    private static final long IDLE_SECONDS = 2;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS_MAX, THREADS_MAX, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), task -> {
                Thread thread = new Thread(task, "tutti-resolver");
                thread.setDaemon(true);
                return thread;
            });

    Resolver() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** The address if {@code host} is a literal one. */
    static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Calls {@code answer} on any thread, with no addresses if there are none. */
    void resolve(String host, Consumer<List<InetAddress>> answer) {
        try {
            threads.execute(() -> answer.accept(lookUp(host)));
        } catch (RejectedExecutionException e) {
            answer.accept(List.of());
        }
    }

    private static List<InetAddress> lookUp(String host) {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
