package dev.tutti.campaign.history;

import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.blocks.coordination.IdSource;
import dev.tutti.blocks.coordination.Value;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.campaign.history.Operation.Outcome;
import dev.tutti.campaign.history.Operation.Request;
import dev.tutti.testkit.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A component of a simulated process that uses coordination blocks, and records a history of its operations. */
final class Client implements AutoCloseable {

    /** Requests of all runs of all processes, in the order of their calls. */
    static final class Record {
        private final List<Asked> asked = new ArrayList<>();

        /** Returns the operations; one whose outcome no client was told is of unknown outcome. */
        List<Operation> operations() {
            return asked.stream().filter(each -> !each.isNever).map(Asked::operation).toList();
        }
    }

    /** An operation that is under way, or over. */
    private final class Asked {
        private final String object;
        private final Request request;
        private final long invokedNanos = nowNanos();
        private Outcome outcome = Outcome.UNKNOWN;
        private boolean isNever;
        private long returnedNanos;
        private long era;
        private long result;

        Asked(String object, Request request) {
            this.object = object;
            this.request = request;
            record.asked.add(this);
        }

        void told(long inEra, long answer) {
            outcome = Outcome.TOLD;
            returnedNanos = nowNanos();
            era = inEra;
            result = answer;
        }

        void failed(@Nullable Throwable failure) {
            Throwable cause = failure instanceof ExecutionException || failure instanceof CompletionException
                    ? failure.getCause()
                    : failure;
            isNever = cause instanceof CommandException known && known.execution() == Execution.NEVER;
        }

        Operation operation() {
            return new Operation(self, object, request, invokedNanos, returnedNanos, outcome, era, result);
        }
    }

    /** Mistakes that a client or a group may make. */
    enum Mistake {
        NONE,
        /** Results are returned before all members of the view have the command. */
        AGREED,
        /** A change that may have been made is repeated. */
        AGAIN,
        /** A lock that was released counts as held until then, whatever the group says. */
        TRUSTING
    }

    private static final Duration TIMEOUT = Duration.ofMillis(700);

    private final Cluster cluster;
    private final Node node;
    private final Record record;
    private final Mistake mistake;
    private final String self;
    private final Coordination coordination;
    private final IdSource ids;

    Client(Cluster cluster, Node node, Record record, Mistake mistake) {
        this.cluster = cluster;
        this.node = node;
        this.record = record;
        this.mistake = mistake;
        this.self = node.name() + "/" + node.id().incarnation();
        GroupBuilder group = node.group("coordination");
        var builder = Coordination.on(group).founders("n1", "n2", "n3", "n4", "n5").timeout(TIMEOUT);
        if (mistake == Mistake.AGREED) {
            group.set("total.delivery", "agreed");
        }
        this.coordination = builder.join();
        this.ids = coordination.ids("i", 5);
    }

    private long nowNanos() {
        return cluster.elapsed().toNanos();
    }

    /** Performs one random operation. */
    void act() {
        switch (cluster.random().nextInt(5)) {
            case 0, 1 -> add();
            case 2 -> exchange();
            case 3 -> lock();
            default -> take();
        }
    }

    /** Adds to a counter, each of which is used for a while, so that few outcomes of each are unknown. */
    private void add() {
        String name = "c" + cluster.elapsed().toSeconds() / 8 + "." + cluster.random().nextInt(5);
        long delta = cluster.random().nextInt(3) == 0 ? 0 : cluster.random().nextLong(1, 1_000_000_000);
        Asked asked = new Asked(name, new Request.Add(delta));
        add(name, delta, value -> asked.told(value.era(), value.number()), asked::failed);
    }

    private void add(String name, long delta, Consumer<Value> told, Consumer<Throwable> failed) {
        coordination.counter(name).addAsync(delta).whenComplete((value, failure) -> {
            if (failure == null) {
                told.accept(value);
            } else if (mistake == Mistake.AGAIN && cluster.isRunning(cluster.numberOf(node))) {
                add(name, delta, told, failed);
            } else {
                failed.accept(failure);
            }
        });
    }

    private void exchange() {
        Asked look = new Asked("r", new Request.Add(0));
        Value seen;
        try {
            seen = coordination.counter("r").get();
            look.told(seen.era(), seen.number());
        } catch (CommandException e) {
            look.failed(e);
            return;
        }
        long next = cluster.random().nextLong();
        Asked asked = new Asked("r", new Request.Exchange(seen.era(), seen.number(), next));
        try {
            Value found = coordination.counter("r").compareAndExchange(seen, next);
            asked.told(found.era(), found.number());
        } catch (CommandException e) {
            asked.failed(e);
        }
    }

    private void lock() {
        String name = "l" + cluster.random().nextInt(2);
        Asked asked = new Asked(name, new Request.Grant());
        Optional<Hold> granted;
        try {
            granted = coordination.lock(name).tryAcquire(Duration.ofMillis(400));
        } catch (CommandException e) {
            asked.failed(e);
            return;
        }
        if (granted.isEmpty()) {
            asked.isNever = true;
            return;
        }
        Hold hold = granted.get();
        asked.told(0, hold.token());
        // Sometimes longer than it takes to be excluded.
        pause(cluster.random().nextInt(cluster.random().nextInt(6) == 0 ? 6_000 : 60));
        Asked release = new Asked(name, new Request.Release(hold.token()));
        hold.release().thenAccept(wasHeld -> release.told(0, wasHeld || mistake == Mistake.TRUSTING ? 1 : 0));
    }

    private void take() {
        Asked asked = new Asked("i", new Request.Take());
        try {
            asked.told(0, ids.next());
        } catch (CommandException e) {
            asked.failed(e);
        }
    }

    private void pause(int millis) {
        try {
            node.threads().get(new CompletableFuture<>(), millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return;
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        coordination.close();
    }
}
