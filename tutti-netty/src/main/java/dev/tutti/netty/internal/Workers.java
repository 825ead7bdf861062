package dev.tutti.netty.internal;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads for what would hold up the loop: name look-ups and the arithmetic of TLS handshakes. They end when idle. */
final class Workers extends ThreadPoolExecutor {

    private static final int THREADS_MAX = 4;
    private static final int WAITING_MAX = 1_024;
    private static final long IDLE_SECONDS = 2;

    Workers() {
        super(THREADS_MAX, THREADS_MAX, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), task -> {
            Thread thread = new Thread(task, "tutti-worker");
            thread.setDaemon(true);
            return thread;
        });
        allowCoreThreadTimeOut(true);
    }
}
