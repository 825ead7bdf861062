package dev.tutti.internal.delivery;

import dev.tutti.Group;
import dev.tutti.core.View;
import dev.tutti.internal.Host;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Threads that wait until a group has a number of members. Thread-safe. */
public final class AwaitedMembers {

    /** @param there completed with true when the view has {@code count} members, with false when the group has ended */
    private record Awaited(int count, CompletableFuture<Boolean> there) {}

    private final Host host;
    private final CopyOnWriteArrayList<Awaited> waiters = new CopyOnWriteArrayList<>();

    public AwaitedMembers(Host host) {
        this.host = host;
    }

    /**
     * Waits as {@link Group#awaitMembers} does; {@code view} and {@code isOver} give the group's present view and end.
     */
    public boolean await(int count, Duration within, Supplier<@Nullable View> view, BooleanSupplier isOver) {
        Awaited awaited = new Awaited(count, new CompletableFuture<>());
        waiters.add(awaited);
        try {
            View present = view.get();
            if (present != null && present.size() >= count) {
                return true;
            }
            return !isOver.getAsBoolean() && host.get(awaited.there(), within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            waiters.remove(awaited);
        }
    }

    public void onView(View installed) {
        for (Awaited awaited : waiters) {
            if (installed.size() >= awaited.count()) {
                awaited.there().complete(true);
            }
        }
    }

    public void onEnd() {
        waiters.forEach(awaited -> awaited.there().complete(false));
    }
}
