package dev.tutti.internal.discovery;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A source whose calls end: each runs on a thread of its own, and is given up after ten seconds, which counts as an outage. A call that is
 * given up goes on until the source returns from it. While {@value #HANGING_MAX} of them do, the source is not called.
 */
final class TimedSource implements DiscoverySource {

    static final int HANGING_MAX = 3;

    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** End of a call: its result, or what it has thrown. */
    private record End(@Nullable Object result, @Nullable Throwable thrown) {}

    private final String name;
    private final DiscoverySource source;
    private final Host host;
    private final Fence fence;
    private final AtomicInteger hanging = new AtomicInteger();

    TimedSource(String name, DiscoverySource source, Host host) {
        this.name = name;
        this.source = source;
        this.host = host;
        this.fence = new Fence(host, (callback, argument, thrown) -> {});
    }

    /** Returns the number of calls that were given up and have not returned. From any thread. */
    int hanging() {
        return hanging.get();
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the result is what the code has returned, null where T has it
    private <T extends @Nullable Object> T call(String method, Callable<T> code) throws IOException {
        if (hanging.get() >= HANGING_MAX) {
            throw new IOException("not called: " + HANGING_MAX + " calls have not returned, the last one " + method + "()");
        }
        CompletableFuture<End> end = new CompletableFuture<>();
        host.start("tutti-discovery-" + name + "-" + method, () -> {
            @Nullable Object[] result = new Object[1];
            Throwable thrown = fence.attempt(() -> result[0] = code.call());
            end.complete(new End(result[0], thrown));
        });
        try {
            End ended = host.get(end, CALL_NANOS, TimeUnit.NANOSECONDS);
            return switch (ended.thrown()) {
                case null -> (T) ended.result();
                case IOException thrown -> throw thrown;
                case RuntimeException thrown -> throw thrown;
                case Error thrown -> throw thrown;
                case Throwable thrown -> throw new IllegalStateException(thrown);
            };
        } catch (TimeoutException e) {
            hanging.incrementAndGet();
            var unused = end.whenComplete((ended, failure) -> hanging.decrementAndGet());
            throw new IOException(method + "() has not returned within " + TimeUnit.NANOSECONDS.toSeconds(CALL_NANOS) + " s", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void start(NodeEntry self) throws IOException {
        call("start", () -> {
            source.start(self);
            return null;
        });
    }

    @Override
    public void announce() throws IOException {
        call("announce", () -> {
            source.announce();
            return null;
        });
    }

    @Override
    public List<String> addresses() throws IOException {
        return call("addresses", source::addresses);
    }

    @Override
    public boolean isWritable() {
        return source.isWritable();
    }

    @Override
    public void remove(String address) throws IOException {
        call("remove", () -> {
            source.remove(address);
            return null;
        });
    }

    @Override
    public SourceDrops drops() {
        return source.drops();
    }

    @Override
    public void close() throws IOException {
        call("close", () -> {
            source.close();
            return null;
        });
    }
}
