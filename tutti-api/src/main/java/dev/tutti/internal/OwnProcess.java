package dev.tutti.internal;

import dev.tutti.Node;
import dev.tutti.Subscription;
import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.Printable;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.stack.Report;
import dev.tutti.internal.storage.FileStore;
import dev.tutti.protocols.node.NodeEvents;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The process that the application runs in.
 *
 * @param driver open, not started
 * @param store records of the node
 * @param onTrouble also receives sentences that are logged as warnings
 */
public record OwnProcess(Driver driver, FileStore store, Consumer<String> onTrouble) implements Host {

    private static final ScheduledThreadPoolExecutor WATCH = watch();

    /**
     * Returns a number that grows from start to start with the clock; random bits distinguish starts in one
     * millisecond.
     */
    @Override
    public long incarnation() {
        return (System.currentTimeMillis() << 20) | ThreadLocalRandom.current().nextLong(1 << 20);
    }

    @Override
    public Subscription every(long periodNanos, Runnable task) {
        ScheduledFuture<?> looks = WATCH.scheduleWithFixedDelay(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        return () -> looks.cancel(false);
    }

    /**
     * Creates the one watch thread of all nodes of the process, which ends when there are none. It is a platform
     * thread, so it runs when carrier threads do not.
     */
    private static ScheduledThreadPoolExecutor watch() {
        ScheduledThreadPoolExecutor watch = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("tutti-watch").factory());
        watch.setRemoveOnCancelPolicy(true);
        watch.setKeepAliveTime(1, TimeUnit.SECONDS);
        watch.allowCoreThreadTimeOut(true);
        return watch;
    }

    @Override
    public void end() {
        store.close();
    }

    @Override
    public @Nullable HostNames names() {
        return !driver.isOnIp() ? null : host -> Resolver.lookUp(host).stream().map(HostPort::hostOf).toList();
    }

    @Override
    public long seed() {
        return ThreadLocalRandom.current().nextLong();
    }

    @Override
    public void reportProcess(Report report) {
        Runtime runtime = Runtime.getRuntime();
        report.put("heap-used-bytes", runtime.totalMemory() - runtime.freeMemory());
        report.put("heap-committed-bytes", runtime.totalMemory());
        report.put("heap-max-bytes", runtime.maxMemory());
        ProcessHandle.current().info().totalCpuDuration().ifPresent(cpu -> report.put("cpu-nanos", cpu.toNanos()));
    }

    @Override
    public List<Thread> platformThreads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all != null && all.getParent() != null) {
            all = all.getParent();
        }
        if (all == null) {
            return List.of();
        }
        // A thread that begins meanwhile has room too; threads without room are left out.
        Thread[] threads = new Thread[all.activeCount() + 16];
        int count = all.enumerate(threads);
        return List.of(Arrays.copyOf(threads, count));
    }

    @Override
    public NodeEvents events(String node) {
        return new EventLog(node, this::onTrouble);
    }

    @Override
    public void onTrouble(String text) {
        FENCE.call("onTrouble", onTrouble, Printable.escape(text));
    }

    private static final Logger LOG = Logs.of(Node.class);

    private static final Fence FENCE = Fence.of((callback, text, thrown) ->
            LOG.error("the listener {} has failed; it was told: {}", callback, text, thrown));
}
