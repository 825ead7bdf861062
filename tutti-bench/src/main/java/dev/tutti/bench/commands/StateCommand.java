package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Host;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Table;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Transfer of a large state to a newcomer, while the group continues and the provider is killed. */
@Command(
        name = "state",
        mixinStandardHelpOptions = true,
        description = {
            "A newcomer takes over a state larger than memory while others send.",
            "The member that provides the state is killed half-way. The newcomer looks at every byte; then all have to have the same.",
        },
        footer = {"", "Examples:", "  tutti bench state --size 4GiB", "  tutti bench state --size 256MiB --rate 0"})
final class StateCommand implements Callable<Integer> {

    /** Least part of its rate that a sender keeps. */
    private static final double RATE_MIN = 0.7;

    private static final Duration STEP_MAX = Duration.ofSeconds(30);
    private static final Duration TRANSFER_MAX = Duration.ofMinutes(8);
    private static final String MEMBER = "dev.tutti.bench.process.StateMember";

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "4GiB",
            description = "Of the state. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.mebibytes(4096);

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "2",
            description = "Before the newcomer; the last of them sends. Default: ${DEFAULT-VALUE}.")
    private int members;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Messages a second; 0 for as many as it can. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--message",
            paramLabel = "SIZE",
            defaultValue = "1KiB",
            description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size message = Size.kibibytes(1);

    @Option(
            names = "--held",
            paramLabel = "SIZE",
            defaultValue = "4GiB",
            description = "The newcomer's state.held-file. Default: ${DEFAULT-VALUE}.")
    private Size held = Size.mebibytes(4096);

    @Option(
            names = "--window",
            paramLabel = "SIZE",
            defaultValue = "1MiB",
            description = "state.transfer-window. Default: ${DEFAULT-VALUE}.")
    private Size window = Size.mebibytes(1);

    @Option(
            names = "--before",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "Time to measure the rate before the newcomer joins. Default: ${DEFAULT-VALUE}.")
    private Duration before = Duration.ofSeconds(5);

    @Option(names = "--spare", description = "Nobody is killed.")
    private boolean isSparing;

    private final List<Host> hosts = new ArrayList<>();
    private final List<Child> children = new ArrayList<>();

    @Override
    public Integer call() {
        output.put("bytes", size.bytes());
        output.put("members", members);
        output.put("rate", rate);
        output.print("state of " + size + ", " + members + " members and a newcomer, "
                + (rate == 0 ? "as many messages as can be sent" : rate + " messages/s") + " of " + message
                + (isSparing ? "" : ", the provider is killed half-way"));
        try {
            measure();
        } finally {
            hosts.forEach(Host::close);
        }
        return output.finish();
    }

    private void measure() {
        List<String> options = output.jvmOptions("256m");
        List<Integer> free = BenchCluster.freePorts(members + 1);
        String ports = free.stream().map(String::valueOf).collect(Collectors.joining(","));
        for (int rank = 0; rank <= members; rank++) {
            List<String> arguments = List.of(Integer.toString(rank), ports, Long.toString(size.bytes()));
            Host host = new Host("m" + rank, List.of(), options, MEMBER, arguments, List.of(rank));
            hosts.add(host);
            children.addAll(host.children());
            // One after the other: a newcomer asks the oldest node first, which must not be the sender that is killed.
            children.getLast().await("ready", STEP_MAX);
        }
        for (int rank = 0; rank < members; rank++) {
            children.get(rank).say(join()).await("joined", TRANSFER_MAX);
            output.progress("m" + rank + " is in");
        }
        Child sender = children.get(members - 1);
        Child newcomer = children.get(members);
        sender.say(Line.of("grow"));
        for (int rank = 0; rank < members; rank++) {
            children.get(rank).await("grown", STEP_MAX);
        }
        sender.say(Line.of("send").with("rate", rate).with("bytes", message.bytes()));
        pause(before);
        children.forEach(child -> child.takeAll("snapshot"));
        Line begun = count(sender);
        pause(before);
        Line joining = count(sender);
        double usual = perSecond(begun, joining);
        output.progress(String.format(Locale.ROOT, "%,.0f messages/s; the newcomer joins", usual));
        newcomer.say(join());
        Line half = newcomer.await("half", TRANSFER_MAX);
        int provider = Integer.parseInt(half.text("provider").substring(1));
        Line atHalf = count(sender);
        if (!isSparing) {
            if (provider == members - 1) {
                output.fail("the sender is the provider, and would have to be killed");
                return;
            }
            output.progress("m" + provider + " is killed");
            children.get(provider).kill();
        }
        Line installed = newcomer.await("installed", TRANSFER_MAX);
        Line atEnd = count(sender);
        Line heldThen = count(newcomer);
        Line joined = newcomer.await("joined", TRANSFER_MAX);
        Line caughtUp = count(sender);
        pause(before);
        Line after = count(sender);
        report(provider, usual, List.of(joining, atHalf, atEnd, caughtUp, after), heldThen, joined);
        verify(provider, sender, newcomer, installed, joined);
    }

    private Line join() {
        return Line.of("join").with("held", held.bytes()).with("window", window.bytes());
    }

    private static Line count(Child child) {
        return child.say(Line.of("count")).await("counted", STEP_MAX);
    }

    private static double perSecond(Line from, Line to) {
        return (to.number("sent") - from.number("sent")) * 1e9 / Math.max(1, to.number("at") - from.number("at"));
    }

    private void report(int provider, double usual, List<Line> marks, Line heldThen, Line joined) {
        String[] names = {"first half", isSparing ? "second half" : "second half, m" + provider + " killed", "catching up",
            "after"};
        Table table = new Table("what", "s", "messages/s", "of before");
        table.row("before", "", String.format(Locale.ROOT, "%,.0f", usual), "");
        double during = Double.MAX_VALUE;
        for (int index = 0; index < names.length; index++) {
            double seconds = (marks.get(index + 1).number("at") - marks.get(index).number("at")) / 1e9;
            double measured = perSecond(marks.get(index), marks.get(index + 1));
            if (index < 2) {
                during = Math.min(during, measured);
            }
            table.row(
                    names[index],
                    String.format(Locale.ROOT, "%.1f", seconds),
                    String.format(Locale.ROOT, "%,.0f", measured),
                    String.format(Locale.ROOT, "%.0f %%", 100 * measured / usual));
        }
        output.print(table);
        double seconds = (marks.get(2).number("at") - marks.get(0).number("at")) / 1e9;
        output.put("transferSeconds", seconds);
        output.put("bytesPerSecond", size.bytes() / seconds);
        output.put("rateKept", during / usual);
        output.put("heldBytes", heldThen.number("held"));
        output.print(String.format(
                Locale.ROOT,
                "%.1f MiB/s of state; the newcomer held %.1f MiB of messages, %.1f of them in a file; joined after %.1f s",
                size.bytes() / seconds / (1 << 20),
                heldThen.number("held") / (double) (1 << 20),
                heldThen.number("heldFile") / (double) (1 << 20),
                joined.number("nanos") / 1e9));
        output.bound(
                String.format(Locale.ROOT, "the sender kept %.0f %% of its rate, at least %.0f %%", 100 * during / usual,
                        100 * RATE_MIN),
                during >= RATE_MIN * usual);
    }

    private void verify(int provider, Child sender, Child newcomer, Line installed, Line joined) {
        List<String> cuts = new ArrayList<>();
        for (int rank = 0; rank < members; rank++) {
            children.get(rank).takeAll("snapshot").forEach(line -> cuts.add(line.text("hash")));
        }
        if (!cuts.contains(installed.text("hash"))) {
            output.fail("the newcomer has " + installed.text("hash") + " at the cut, the others had " + cuts);
        }
        output.print("hash at the cut: " + installed.text("hash") + " at the newcomer, " + cuts + " at the others");
        if (!isSparing && (joined.count("resumed") != 1 || joined.count("restarted") != 0)) {
            output.fail("the transfer was resumed " + joined.text("resumed") + " times and restarted "
                    + joined.text("restarted") + " times");
        }
        sender.say(Line.of("stop"));
        long sent = sender.await("stopped", STEP_MAX).number("sent");
        List<String> images = new ArrayList<>();
        for (int rank = 0; rank <= members; rank++) {
            if (rank != provider || isSparing) {
                images.add(image(children.get(rank), sent));
            }
        }
        output.print(String.format(Locale.ROOT, "%,d messages, hash at the end: %s", sent, images));
        if (images.stream().distinct().count() != 1) {
            output.fail("members have different states at the end: " + images);
        }
        newcomer.takeAll("closed").forEach(line -> output.fail("the newcomer was closed: " + line.text("why")));
    }

    /** Returns the hash of a member's state when it has all messages. */
    private String image(Child child, long sent) {
        long end = System.nanoTime() + STEP_MAX.toNanos();
        while (true) {
            Line image = child.say(Line.of("image").with("sender", members - 1)).await("image", STEP_MAX);
            if (image.number("faults") > 0) {
                output.fail(image.text("faults") + " messages were missing or came twice");
            }
            if (image.number("last") == sent) {
                return image.text("hash");
            }
            if (System.nanoTime() > end) {
                output.fail("only " + image.number("last") + " of " + sent + " messages have come");
                return "incomplete";
            }
            pause(Duration.ofMillis(100));
        }
    }

    private static void pause(Duration duration) {
        try {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
