package dev.tutti.cli.grid;

import dev.tutti.cli.grid.DemoMediator.Place;
import dev.tutti.cli.grid.Loss.Source;
import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.Terminal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The demonstration: mediators in processes of their own, clients in this one, and sentences about what they do. */
final class GridDemo implements AutoCloseable {

    private static final String GRID = "demo";
    private static final int PUBLISH_MILLIS = 200;
    private static final int LOOK_MILLIS = 20;
    private static final int REPORT_SECONDS = 10;
    private static final long START_SECONDS_MAX = 120;
    private static final long SETTLE_SECONDS_MAX = 30;

    /** Connection of a host as the story has told it. */
    private record Told(long connections, String mediator, long lostNanos) {}

    private final Terminal terminal;
    private final Path directory;
    private final List<DemoMediator> mediators = new CopyOnWriteArrayList<>();
    private final List<DemoHost> hosts = new CopyOnWriteArrayList<>();
    private final Map<String, Told> told = new TreeMap<>();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("tutti-grid-demo").factory());
    private final long startNanos = System.nanoTime();
    private boolean keepsLogs;

    /** Set when all ends: what clients do then is no part of the story. */
    private volatile boolean isClosing;

    GridDemo(Terminal terminal) {
        this.terminal = terminal;
        try {
            this.directory = Files.createTempDirectory("tutti-grid-demo-");
        } catch (IOException e) {
            throw new UncheckedIOException("no directory for logs can be made", e);
        }
    }

    /** Starts all, and waits until each client has heard of each other one. */
    void start(Place... places) throws InterruptedException {
        List<Place> all = List.of(places);
        say("Starting " + all.size() + " mediators at 3 sites, each a process of its own.");
        all.forEach(place -> mediators.add(DemoMediator.start(GRID, place, all, directory)));
        // They say why one does not start.
        keepsLogs = true;
        mediators.forEach(DemoMediator::awaitReady);
        List<URI> berlin = List.of(url("berlin-m1"), url("berlin-m2"));
        hosts.add(new DemoHost("berlin-1", berlin));
        hosts.add(new DemoHost("berlin-2", berlin));
        hosts.add(new DemoHost("berlin-3", berlin.reversed()));
        hosts.add(new DemoHost("paris-1", List.of(url("paris-m1"))));
        hosts.add(new DemoHost("tokyo-1", List.of(url("tokyo-m1"))));
        hosts.getLast().watch("alarms", "value > 0.9");
        hosts.forEach(host -> clock.scheduleAtFixedRate(host::publish, PUBLISH_MILLIS, PUBLISH_MILLIS, TimeUnit.MILLISECONDS));
        if (!await(START_SECONDS_MAX, this::doAllHearAll)) {
            throw new CommandException("not every client gets the measurements of every other one after " + START_SECONDS_MAX + " s; "
                    + directory + " has the logs of the mediators");
        }
        keepsLogs = false;
        hosts.forEach(host -> told.put(host.name(), new Told(host.connections(), host.mediator(), 0)));
        for (DemoHost host : hosts) {
            say("Client " + host.name() + " publishes 3 figures of this machine five times a second, through mediator " + host.mediator() + ".");
        }
        say("Each client gets the figures of all " + hosts.size() + ", also from other sites.");
        terminal.print("");
        terminal.print("The grid in a browser: " + terminal.bold(url("berlin-m2") + "/"));
        terminal.print("");
    }

    private URI url(String mediator) {
        return mediator(mediator).url();
    }

    private DemoMediator mediator(String name) {
        return mediators.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no mediator " + name));
    }

    private boolean doAllHearAll() {
        return hosts.stream().allMatch(host -> hosts.stream().allMatch(other -> host.arrivals().of(other.id()).received() > 0));
    }

    // ------------------------------------------------------------------ the story

    /** Tells what happens for a while. */
    void run(int seconds) throws InterruptedException {
        long beginNanos = System.nanoTime();
        long reports = 0;
        for (long past = 0; past < TimeUnit.SECONDS.toNanos(seconds) && !isClosing; past = System.nanoTime() - beginNanos) {
            hosts.forEach(this::tellChanges);
            if (past >= TimeUnit.SECONDS.toNanos((reports + 1) * REPORT_SECONDS)) {
                reports++;
                report();
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Tells that a client has lost its mediator, or found another. */
    private void tellChanges(DemoHost host) {
        if (isClosing) {
            return;
        }
        long nowNanos = System.nanoTime();
        Told last = told.getOrDefault(host.name(), new Told(0, "", 0));
        if (host.connections() > last.connections && !host.mediator().equals(last.mediator)) {
            String time = last.lostNanos == 0 ? "at once" : String.format("after %.2f s", (nowNanos - last.lostNanos) / 1e9);
            say("Client " + host.name() + " has found mediator " + host.mediator() + " " + time + ". It registers its producer and consumer"
                    + " there, and sends what has waited.");
            told.put(host.name(), new Told(host.connections(), host.mediator(), 0));
        } else if (!host.isConnected() && last.lostNanos == 0) {
            say("Client " + host.name() + " has lost mediator " + last.mediator + ". It goes on publishing, and measurements wait.");
            told.put(host.name(), new Told(last.connections, last.mediator, nowNanos));
        }
    }

    /** Kills a mediator with SIGKILL. */
    void kill(String name) {
        DemoMediator mediator = mediator(name);
        String clients = String.join(" and ", hosts.stream().filter(host -> host.mediator().equals(name)).map(DemoHost::name).toList());
        say("Mediator " + name + " is killed now. Its clients are " + clients + ".");
        mediator.kill();
    }

    private void report() {
        Loss loss = Loss.of(sources(), consumers(), false);
        say(String.format("%,d measurements were published, and %,d received by %d consumers%s.",
                loss.published(), loss.received(), hosts.size(), missing(loss)));
    }

    private static String missing(Loss loss) {
        long missing = loss.told() + loss.seen();
        return missing == 0 ? "; none is missing" : String.format("; %,d are missing, and consumers know it", missing);
    }

    private Map<String, Source> sources() {
        Map<String, Source> sources = new TreeMap<>();
        hosts.forEach(host -> sources.put(host.id(), new Source(host.name(), host.published(), host.connections() > 1)));
        return sources;
    }

    private Map<String, Arrivals> consumers() {
        Map<String, Arrivals> consumers = new TreeMap<>();
        hosts.forEach(host -> consumers.put(host.name(), host.arrivals()));
        return consumers;
    }

    // ------------------------------------------------------------------ the end

    /** Ends the traffic, and tells the verdict; returns whether it is good. */
    boolean end() throws InterruptedException {
        hosts.forEach(DemoHost::stop);
        if (!await(SETTLE_SECONDS_MAX, () -> Loss.isComplete(sources(), consumers()))) {
            say("Some measurements have not come within " + SETTLE_SECONDS_MAX + " s.");
        }
        Loss loss = Loss.of(sources(), consumers(), true);
        long found = hosts.getLast().producersFound();
        terminal.print("");
        say(String.format("%,d measurements were published. %d consumers should have got %,d, all since they began, and got %,d.",
                loss.published(), hosts.size(), loss.due(), loss.received()));
        if (loss.told() + loss.seen() > 0) {
            say(String.format("%,d were on their way when the mediator was killed, and are missing: %,d at places where the consumer was told of a gap,"
                    + " %,d more are seen by the numbers of clients that changed their mediator.", loss.told() + loss.seen(), loss.told(), loss.seen()));
        }
        long unsent = hosts.stream().mapToLong(DemoHost::unsent).sum();
        if (unsent > 0) {
            say(String.format("%,d were dropped by clients, because too many waited.", unsent));
        }
        say("The registry has " + found + " of " + hosts.size() + " producers.");
        loss.findings().forEach(finding -> say("Fault: " + finding + "."));
        keepsLogs = !loss.findings().isEmpty() || found != hosts.size();
        say(keepsLogs ? "Verdict: failed." : "Verdict: nothing was lost without being told.");
        if (keepsLogs) {
            say("The logs of the mediators are in " + directory + ".");
        }
        return !keepsLogs;
    }

    private static boolean await(long seconds, BooleanSupplier condition) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNanos >= 0) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }

    private void say(String sentence) {
        terminal.print(terminal.faint(String.format("%6.1f s  ", (System.nanoTime() - startNanos) / 1e9)) + sentence);
    }

    /** Ends all processes. Idempotent. */
    @Override
    public synchronized void close() {
        isClosing = true;
        clock.shutdownNow();
        hosts.forEach(DemoHost::close);
        mediators.parallelStream().forEach(DemoMediator::close);
        if (!keepsLogs) {
            deleteLogs();
        }
    }

    private void deleteLogs() {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            terminal.err().println("tutti: the logs in " + directory + " can't be deleted: " + e.getMessage());
            return;
        }
        var unused = directory.toFile().delete();
    }
}
