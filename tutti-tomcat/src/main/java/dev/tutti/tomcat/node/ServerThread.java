package dev.tutti.tomcat.node;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Runs tasks that start threads which outlive an application. A thread inherits the context class loader and the
 * inheritable thread locals of its creator; those of an application must not live on in the threads of a node.
 */
public final class ServerThread {

    private ServerThread() {}

    /** Calls {@code task} on a thread with the class loader of this class, and waits for it. */
    static <T> T call(Supplier<T> task) {
        FutureTask<T> future = new FutureTask<>(task::get);
        Thread thread = Thread.ofPlatform()
                .name("tutti-start")
                .inheritInheritableThreadLocals(false)
                .unstarted(future);
        thread.setContextClassLoader(ServerThread.class.getClassLoader());
        thread.start();
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a node was being started or joined a group", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
