package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.systems.Content;
import dev.tutti.bench.systems.GroupSystem;
import dev.tutti.bench.systems.GroupSystem.Seat;
import dev.tutti.bench.systems.Requests;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.bench.watch.Watch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A member in a measured process: executes commands from lines on the standard input, and answers on the standard
 * output. The process ends when its input does, so that it never outlives the process that started it.
 *
 * <p>Times are {@link System#nanoTime}, which on Linux is CLOCK_MONOTONIC: one clock for all processes of a machine. The
 * coordinator translates those of other machines.
 */
final class Member {

    /** Argument that makes members join at once. */
    static final String JOIN = "join";

    private static final int COMMANDS_MAX = 64;

    private final Seat seat;
    private final boolean isFirst;
    private final boolean deliversToSender;
    private final Receipts receipts;
    private final GroupSystem system;
    private final BlockingQueue<Line> commands = new LinkedBlockingQueue<>(COMMANDS_MAX);
    private final Semaphore pongs = new Semaphore(0);
    private volatile byte[] pong = new byte[0];
    private @Nullable Requests requests;
    private Usage before = Usage.NONE;
    private long packetsBefore;

    /** @param isFirst whether it is the member that reports the usage of its process */
    private Member(SystemKind kind, Seat seat, boolean isFirst) {
        this.seat = seat;
        this.isFirst = isFirst;
        this.deliversToSender = kind.deliversToSender();
        this.receipts = new Receipts(seat.members()) {
            @Override
            public void onView(List<Integer> members, int coordinator, String id) {
                say(Line.of("view")
                        .with("size", members.size())
                        .with("members", members.stream().map(String::valueOf).collect(Collectors.joining(",")))
                        .with("coordinator", coordinator)
                        .with("id", id)
                        .with("at", System.nanoTime()));
            }

            @Override
            void onPing(int rank, int phase) {
                if (phase == PING) {
                    system().unicast(rank, pong);
                } else {
                    pongs.release();
                }
            }
        };
        this.system = kind.open(seat, receipts);
    }

    private GroupSystem system() {
        return system;
    }

    /** Arguments: the system, the ranks of this process, the ports of all (lists with commas), {@link #JOIN}. */
    public static void main(String[] arguments) throws IOException {
        SystemKind kind = SystemKind.valueOf(arguments[0]);
        List<Integer> ports = numbers(arguments[2]);
        Map<Integer, Member> members = new LinkedHashMap<>();
        for (int rank : numbers(arguments[1])) {
            Member member = new Member(kind, new Seat(rank, ports), members.isEmpty());
            members.put(rank, member);
            if (List.of(arguments).contains(JOIN)) {
                member.commands.add(Line.of("join"));
            }
            Thread.ofPlatform().daemon().name("member-m" + rank).start(member::run);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String text = in.readLine(); text != null; text = in.readLine()) {
            Line command = Line.parse(text);
            if (command.verb().equals("exit")) {
                break;
            }
            Member member = members.get(command.count(Line.MEMBER));
            if (member == null || !member.commands.offer(command)) {
                throw new BenchException("nobody takes: " + command);
            }
        }
        // A system whose threads do not end must not keep its process alive; a recording is written at the exit.
        System.exit(0);
    }

    private static List<Integer> numbers(String text) {
        return Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
    }

    private void run() {
        say(Line.of("ready").with("pid", ProcessHandle.current().pid()));
        try {
            while (true) {
                say(answer(commands.take()));
            }
        } catch (RuntimeException e) {
            e.printStackTrace();
            say(Line.of("failed").with("why", e.toString().lines().findFirst().orElse("")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void say(Line line) {
        synchronized (System.out) {
            System.out.println(line.to(seat.rank()));
            System.out.flush();
        }
    }

    private Line answer(Line command) {
        return switch (command.verb()) {
            case "join" -> join();
            case "clock" -> Line.of("clock").with("now", System.nanoTime());
            case "run" -> runPhase(command);
            case "cost" -> cost();
            case "latencies" -> Line.of("latencies").with("nanos", Latencies.print(receipts.times(seat.rank())));
            case "ping" -> ping(command);
            case "serve" -> {
                requests = system.requests(new Requests.Values(command.count("size")));
                yield Line.of("serving");
            }
            case "request" -> request(command);
            case "slow" -> {
                receipts.pauseAfterEach(command.number("nanos"));
                yield Line.of("slowed");
            }
            case "watch" -> Line.of("watched")
                    .with("addresses",
                            String.join(",", system.watch(Watch.valueOf(command.text("what")), command.number("interval"))));
            case "held" -> held();
            case "groups" -> {
                system.openGroups(command.count("count"), command.number("timeout"));
                yield Line.of("grouped");
            }
            case "exercise" -> Line.of("exercised").with("whole", system.exerciseGroups(command.number("timeout")));
            case "leave" -> leave();
            default -> throw new BenchException("unknown command: " + command);
        };
    }

    private Line join() {
        system.start();
        // The cost of being in a view counts from here.
        before = usage();
        long began = System.nanoTime();
        system.join();
        return Line.of("joined").with("at", began).with("took", System.nanoTime() - began);
    }

    private Line leave() {
        long began = System.nanoTime();
        system.leave();
        Line left = Line.of("left").with("at", began).with("took", System.nanoTime() - began);
        system.close();
        return left;
    }

    private static Line held() {
        Line line = Line.of("held");
        Usage.writeHeldTo(line);
        return line;
    }

    // ------------------------------------------------------------------ throughput

    private Line runPhase(Line command) {
        int senders = command.count("senders");
        int threads = (int) command.number("threads", 1);
        CountDownLatch over = new CountDownLatch(1);
        if (command.number("sample", 0) > 0) {
            repeat("sampler", command.number("sample"), over, () -> {
                Line line = Line.of("sample");
                Usage.writeHeldTo(line);
                say(line);
            });
        }
        if (command.number("progress", 0) > 0) {
            repeat("progress", command.number("progress"), over, () ->
                    say(Line.of("progress").with("received", received(senders))));
        }
        packetsBefore = system.packetsSent();
        sleepUntil(command.number("at"));
        before = usage();
        long began = System.nanoTime();
        boolean isSender = seat.rank() < senders;
        long sent = isSender ? send(command, threads, began) : 0;
        int ends = (isSender && !deliversToSender ? senders - 1 : senders) * threads;
        boolean isComplete = true;
        for (int count = 0; count < ends && isComplete; count++) {
            isComplete = system.await(receipts.ended(), command.number("timeout"));
        }
        over.countDown();
        String fault = isComplete ? receipts.fault() : "not everything has come within the time limit";
        long own = isSender && deliversToSender ? receipts.received(seat.rank()) : 0;
        return Line.of("ran")
                .with("began", began)
                .with("ended", receipts.endedAtNanos())
                .with("sent", sent)
                .with("own", own)
                .with("others", received(senders) - own)
                .with("fault", fault == null ? "" : fault);
    }

    private long received(int senders) {
        long received = 0;
        for (int rank = 0; rank < senders; rank++) {
            received += receipts.received(rank);
        }
        return received;
    }

    private static void sleepUntil(long atNanos) {
        for (long left = atNanos - System.nanoTime(); left > 0; left = atNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Sends with this thread as the first one; its system may allow no other. */
    private long send(Line command, int threads, long began) {
        List<Sending> sendings = new ArrayList<>();
        List<Thread> others = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Sending sending = new Sending(system, seat.rank(), thread, command, began);
            sendings.add(sending);
            if (thread > 0) {
                others.add(Thread.ofPlatform()
                        .daemon()
                        .name("member-m" + seat.rank() + "-" + thread)
                        .uncaughtExceptionHandler((where, e) ->
                                say(Line.of("failed").with("why", e.toString().lines().findFirst().orElse(""))))
                        .start(sending));
            }
        }
        sendings.getFirst().run();
        try {
            for (Thread other : others) {
                other.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return sendings.stream().mapToLong(Sending::count).sum();
    }

    /** Returns the usage; that of the process is reported by one of its members. */
    private Usage usage() {
        Usage started = new Usage(system.startedCpuNanos(), 0, 0, 0);
        return (isFirst ? Usage.now() : Usage.NONE).plus(started);
    }

    private Line cost() {
        Line line = Line.of("cost").with("packets", system.packetsSent() - packetsBefore);
        usage().minus(before).writeTo(line);
        system.writeStatus();
        return line;
    }

    private static void repeat(String name, long intervalNanos, CountDownLatch over, Runnable action) {
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                while (!over.await(intervalNanos, TimeUnit.NANOSECONDS)) {
                    action.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    // ------------------------------------------------------------------ requests

    private Line request(Line command) {
        int size = command.count("size");
        Requests made = Objects.requireNonNull(requests, "not serving");
        RequestMix mix = new RequestMix(
                made, seat.rank(), seat.members(), size, command.count("reads"), command.count("copies"));
        sleepUntil(command.number("at"));
        before = usage();
        long began = System.nanoTime();
        try {
            mix.run(command.count("threads"), command.number("time"), command.number("timeout"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Line.of("requested")
                .with("took", System.nanoTime() - began)
                .with("failures", mix.failures())
                .with("fault", mix.fault())
                .with("nanos", Latencies.print(mix.times()));
    }

    // ------------------------------------------------------------------ latency

    /** Sends one message at a time to another member and back; without {@code to}, answers until that is over. */
    private Line ping(Line command) {
        int size = command.count("size");
        int to = (int) command.number("to", -1);
        pong = Content.message(seat.rank(), 0, Receipts.PONG, size);
        if (to < 0) {
            say(Line.of("answering"));
            // Systems without threads of their own answer while they wait.
            return Line.of("answered").with("whole", system.await(pongs, command.number("timeout")));
        }
        byte[] ping = Content.message(seat.rank(), 0, Receipts.PING, size);
        long countMax = command.number("count", Long.MAX_VALUE);
        long timeNanos = command.number("time", Long.MAX_VALUE);
        Histogram times = Latencies.histogram();
        long first = System.nanoTime();
        for (long began = first;
                times.getTotalCount() < countMax && began - first < timeNanos;
                began = System.nanoTime()) {
            system.unicast(to, ping);
            if (!system.await(pongs, command.number("timeout"))) {
                throw new BenchException("ping " + times.getTotalCount() + " was not answered");
            }
            times.recordValue(Math.min(System.nanoTime() - began, Latencies.NANOS_MAX));
        }
        // An answer without a question tells the other member that it is over.
        system.unicast(to, pong);
        return Line.of("pinged").with("nanos", Latencies.print(times));
    }
}
