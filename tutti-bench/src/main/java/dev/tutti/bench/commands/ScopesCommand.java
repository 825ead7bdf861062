package dev.tutti.bench.commands;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.core.settings.Durations;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Parallelism of scopes: the rate of many, as a multiple of the rate of one, when listeners take some time. */
@Command(
        name = "scopes",
        mixinStandardHelpOptions = true,
        description = {
            "Parallel handling of messages in different scopes.",
            "One node sends as fast as another takes it, whose listener waits for a while with each message: in one scope, and in"
                    + " many by turns. As many times the rate is what is hoped for. Order within each scope is verified.",
        },
        footer = {"", "Examples:", "  tutti perf scopes", "  tutti perf scopes --scopes 100 --work 1ms --strict"})
final class ScopesCommand implements Callable<Integer> {

    static final Map<String, String> DEFAULTS = Map.of("--repetitions", "3", "--warmup", "5s", "--time", "5s");

    /** Least rate with N scopes, as a part of N times the rate of one. */
    private static final double PART_MIN = 0.9;

    private static final Duration JOIN_MAX = Duration.ofSeconds(20);
    private static final int MESSAGE_BYTES = 64;

    @Option(
            names = "--scopes",
            paramLabel = "N",
            defaultValue = "100",
            description = "That take turns. Default: ${DEFAULT-VALUE}.")
    private int scopes;

    @Option(
            names = "--work",
            paramLabel = "DURATION",
            defaultValue = "1ms",
            description = "That a listener waits with each message. Default: ${DEFAULT-VALUE}.")
    private Duration work = Duration.ZERO;

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final Output output = new Output();

    /** Messages that one listener has handled since it began. */
    private static final class Receiver {
        private final long workNanos;
        private final AtomicInteger[] next;
        private final LongAdder handled = new LongAdder();
        private final AtomicReference<@Nullable String> fault = new AtomicReference<>();

        Receiver(int scopes, long workNanos) {
            this.workNanos = workNanos;
            this.next = new AtomicInteger[scopes];
            for (int scope = 0; scope < scopes; scope++) {
                next[scope] = new AtomicInteger();
            }
        }

        void onMessage(Message message) {
            ByteBuffer content = message.buffer();
            int scope = content.getInt(0);
            int number = content.getInt(4);
            int expected = next[scope].get();
            if (number != expected) {
                fault.compareAndSet(null, "scope " + scope + ": message " + number + " came instead of " + expected);
            }
            LockSupport.parkNanos(workNanos);
            if (!next[scope].compareAndSet(expected, number + 1)) {
                fault.compareAndSet(null, "scope " + scope + ": two messages were handled at the same time");
            }
            handled.increment();
        }
    }

    @Override
    public Integer call() {
        output.title("Scopes: listeners that take " + Durations.print(work) + ", " + rounds);
        List<Double> ones = new ArrayList<>();
        List<Double> manys = new ArrayList<>();
        for (int round = 1; round <= rounds.repetitions(); round++) {
            ones.add(rate(1));
            manys.add(rate(scopes));
            output.progress(String.format(
                    Locale.ROOT, "%d/%d one scope %,.0f/s, %,d scopes %,.0f/s; load %s",
                    round, rounds.repetitions(), ones.getLast(), scopes, manys.getLast(), Machine.load()));
        }
        report(Summary.of(ones), Summary.of(manys));
        return output.finish();
    }

    private double rate(int count) {
        Receiver receiver = new Receiver(count, work.toNanos());
        CountDownLatch together = new CountDownLatch(1);
        try (Node sending = Node.tcp(0).name("sender").start();
                Node receiving = Node.tcp(0).name("receiver").seeds(sending.address()).start()) {
            Group group = sending.group("scopes")
                    .onMessage(message -> {})
                    .onView(view -> {
                        if (view.size() == 2) {
                            together.countDown();
                        }
                    })
                    .join();
            receiving.group("scopes").onMessage(receiver::onMessage).join();
            if (!together.await(JOIN_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new BenchException("the two were not in one view after " + Durations.print(JOIN_MAX));
            }
            Thread sender = Thread.ofPlatform().name("sender").daemon().start(() -> send(group, count));
            LockSupport.parkNanos(rounds.warmup().toNanos());
            long handled = receiver.handled.sum();
            long begun = System.nanoTime();
            LockSupport.parkNanos(rounds.time().toNanos());
            double rate = (receiver.handled.sum() - handled) * 1e9 / (System.nanoTime() - begun);
            sender.interrupt();
            sender.join(JOIN_MAX);
            String fault = receiver.fault.get();
            if (fault != null) {
                output.fail(fault);
            }
            return rate;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted");
        }
    }

    private static void send(Group group, int count) {
        byte[] message = new byte[MESSAGE_BYTES];
        ByteBuffer content = ByteBuffer.wrap(message);
        try {
            for (int number = 0; !Thread.currentThread().isInterrupted(); number++) {
                for (int scope = 0; scope < count; scope++) {
                    group.send(content.putInt(0, scope).putInt(4, number).array(), Scope.of(scope));
                }
            }
        } catch (SendException e) {
            if (e.reason() != SendException.Reason.INTERRUPTED) {
                throw e;
            }
        }
    }

    private void report(Summary one, Summary many) {
        double factor = many.median() / one.median();
        Table table = new Table("scopes", "messages/s min", "median", "max", "times one");
        table.row(1, Grid.number(one.min()), Grid.number(one.median()), Grid.number(one.max()), "1.0");
        table.row(
                scopes, Grid.number(many.min()), Grid.number(many.median()), Grid.number(many.max()),
                String.format(Locale.ROOT, "%.1f", factor));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("1", one.toMap());
        figures.put(Integer.toString(scopes), many.toMap());
        output.put("messages-per-second", figures);
        output.put("factor", factor);
        output.print(table);
        output.bound(
                String.format(Locale.ROOT, "%d scopes get %.1f times as much done as one; at least %.1f", scopes, factor, PART_MIN * scopes),
                factor >= PART_MIN * scopes);
    }
}
