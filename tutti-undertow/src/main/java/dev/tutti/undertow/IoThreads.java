package dev.tutti.undertow;

import org.xnio.XnioIoThread;

/** Undertow's I/O threads, which serve many connections each and must not wait. */
final class IoThreads {

    private IoThreads() {}

    static boolean isCurrent() {
        return XnioIoThread.currentThread() != null;
    }

    /** @throws IllegalStateException on an I/O thread */
    static void checkMayWait(String action) {
        if (isCurrent()) {
            throw new IllegalStateException(
                    action + " waits for other nodes, which an I/O thread must not: call it on a worker thread, see HttpServerExchange.dispatch");
        }
    }
}
