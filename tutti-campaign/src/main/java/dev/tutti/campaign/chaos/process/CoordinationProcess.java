package dev.tutti.campaign.chaos.process;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.blocks.coordination.IdSource;
import dev.tutti.blocks.coordination.Value;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.campaign.chaos.journal.Notation;
import dev.tutti.campaign.chaos.network.ProxyNetwork;
import dev.tutti.campaign.history.HistoryJournal;
import dev.tutti.campaign.history.Operation.Request;
import dev.tutti.campaign.host.Pause;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Main class of a process under faults: a user of coordination blocks that counts, exchanges, locks and takes ids all
 * the time, on some threads, and records its requests and results. It obeys and reports as {@link MemberProcess} does.
 */
final class CoordinationProcess {

    private static final String GROUP = "chaos";
    private static final String SEEDS = "discovery.seeds";
    private static final int THREADS = 4;
    private static final Duration TIMEOUT = Duration.ofMillis(1_500);
    private static final long IDLE_MILLIS = 10;

    /** Time for which one set of counters is used, so that few outcomes of each are unknown. */
    private static final long COUNTER_NANOS = 8_000_000_000L;

    private static final int COUNTERS = 8;
    private static final int LONG_HOLD_ONE_IN = 25;
    private static final int LONG_HOLD_MILLIS_MAX = 6_000;
    private static final int HOLD_MILLIS_MAX = 20;

    private final HistoryJournal journal;
    private final Node node;
    private final Coordination coordination;
    private final IdSource ids;
    private final long intervalMillis;
    private volatile boolean isSending;

    private CoordinationProcess(Path journal, long intervalMillis, Map<String, String> settings) {
        this.journal = new HistoryJournal(journal);
        this.intervalMillis = intervalMillis;
        NodeBuilder builder = Node.of(Node.defaults());
        int processes = 0;
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            if (setting.getKey().equals(SEEDS)) {
                String[] seeds = setting.getValue().split(",");
                processes = seeds.length;
                builder = builder.seeds(seeds);
            } else {
                builder = builder.set(setting.getKey(), setting.getValue());
            }
        }
        this.node = builder.start();
        this.coordination = Coordination.on(node.group(GROUP))
                .founders(IntStream.range(0, processes).mapToObj(ProxyNetwork::name).toArray(String[]::new))
                .timeout(TIMEOUT)
                .onView(this::onView)
                .onClosed(reason -> say("lost " + reason))
                .join();
        this.ids = coordination.ids("i", 20);
    }

    /** Takes the journal, a seed, milliseconds between operations, and settings of the node as {@code name=value}. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = new TreeMap<>();
        for (String setting : List.of(arguments).subList(3, arguments.length)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        Lateness.watch(nanos -> say("late " + nanos));
        int code = 0;
        try {
            CoordinationProcess process =
                    new CoordinationProcess(Path.of(arguments[0]), Long.parseLong(arguments[2]), settings);
            say("joined");
            process.run(new SplittableRandom(Long.parseLong(arguments[1])));
        } catch (RuntimeException e) {
            e.printStackTrace();
            say("failed " + e);
            code = 1;
        }
        // No other thread keeps the process alive when the coordinator of the run has gone.
        System.exit(code);
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(MemberProcess.MARK + System.nanoTime() + " " + line);
            System.out.flush();
        }
    }

    private void onView(View view) {
        for (Member member : view.members()) {
            if (member.node().equals(node.id()) && view.isPrimary()) {
                say("view " + Notation.of(member) + " " + Notation.of(view.id()) + " " + Notation.of(view.members()));
            }
        }
    }

    private void run(SplittableRandom random) throws IOException {
        for (int thread = 0; thread < THREADS; thread++) {
            SplittableRandom own = random.split();
            Thread.ofPlatform().daemon().name("client-" + thread).start(() -> work(own));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "send" -> isSending = true;
                case "quiet" -> isSending = false;
                default -> throw new IllegalArgumentException("unknown command: " + line);
            }
        }
    }

    // ------------------------------------------------------------------ the clients

    private void work(SplittableRandom random) {
        while (true) {
            if (!isSending) {
                Pause.millis(IDLE_MILLIS);
                continue;
            }
            switch (random.nextInt(5)) {
                case 0, 1 -> add(random);
                case 2 -> exchange(random);
                case 3 -> lock(random);
                default -> take();
            }
            Pause.millis(random.nextLong(2 * intervalMillis + 1));
        }
    }

    /** Performs an operation and records its outcome; returns an empty value if the outcome is unknown. */
    private Optional<Value> ask(String object, Request request, Supplier<Value> operation) {
        long number = journal.ask(object, request);
        try {
            Value value = operation.get();
            journal.told(number, value.era(), value.number());
            return Optional.of(value);
        } catch (CommandException e) {
            if (e.execution() == CommandException.Execution.NEVER) {
                journal.never(number);
            }
            return Optional.empty();
        }
    }

    private void add(SplittableRandom random) {
        String name = "c" + System.nanoTime() / COUNTER_NANOS + "." + random.nextInt(COUNTERS);
        long delta = random.nextInt(3) == 0 ? 0 : random.nextLong(1, 1_000_000_000);
        ask(name, new Request.Add(delta), () -> coordination.counter(name).add(delta));
    }

    private void exchange(SplittableRandom random) {
        String name = "r" + random.nextInt(3);
        ask(name, new Request.Add(0), () -> coordination.counter(name).get()).ifPresent(seen -> {
            long next = random.nextLong();
            ask(name, new Request.Exchange(seen.era(), seen.number(), next), () ->
                    coordination.counter(name).compareAndExchange(seen, next));
        });
    }

    private void lock(SplittableRandom random) {
        String name = "l" + random.nextInt(3);
        long number = journal.ask(name, new Request.Grant());
        Optional<Hold> granted;
        try {
            granted = coordination.lock(name).tryAcquire(Duration.ofMillis(1_000));
        } catch (CommandException e) {
            // This member does not regard itself as the holder, even if the lock was granted.
            journal.never(number);
            return;
        }
        if (granted.isEmpty()) {
            journal.never(number);
            return;
        }
        Hold hold = granted.get();
        journal.told(number, 0, hold.token());
        Pause.millis(random.nextInt(random.nextInt(LONG_HOLD_ONE_IN) == 0 ? LONG_HOLD_MILLIS_MAX : HOLD_MILLIS_MAX));
        long release = journal.ask(name, new Request.Release(hold.token()));
        hold.release().thenAccept(wasHeld -> journal.told(release, 0, wasHeld ? 1 : 0));
    }

    private void take() {
        ask("i", new Request.Take(), () -> new Value(ids.next(), 0));
    }
}
