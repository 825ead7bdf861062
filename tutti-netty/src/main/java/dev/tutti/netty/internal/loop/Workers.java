package dev.tutti.netty.internal.loop;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for work that would hold up the loop: name look-ups and the arithmetic of TLS handshakes. They end when idle.
 */
public final class Workers extends ThreadPoolExecutor {

    private static final int WAITING_MAX = 1_024;
    private static final long IDLE_SECONDS = 2;

    Workers(int threads, String name) {
        super(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        allowCoreThreadTimeOut(true);
    }
}
