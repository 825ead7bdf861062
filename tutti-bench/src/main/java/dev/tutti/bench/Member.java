package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Seat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The main class of a measured process: does what lines on the standard input say, and answers on the standard output. It
 * ends when its input does, so that it never outlives who started it.
 *
 * <p>Times are {@link System#nanoTime}, which on Linux is CLOCK_MONOTONIC: one clock for all processes of a machine.
 */
final class Member {

    private static final long LATE_NANOS = 1_000_000;

    private final Seat seat;
    private final Receipts receipts;
    private final GroupSystem system;
    private final Semaphore pongs = new Semaphore(0);
    private volatile byte[] pong = new byte[0];
    private Usage before = Usage.now();
    private long packetsBefore;

    private Member(SystemKind kind, Seat seat) {
        this.seat = seat;
        this.receipts = new Receipts(seat.members()) {
            @Override
            public void onView(int members, int coordinator, String id) {
                say(Line.of("view")
                        .with("size", members)
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

    /** Arguments: the system, the rank, the ports of all with commas between them. */
    public static void main(String[] arguments) throws IOException {
        SystemKind kind = SystemKind.valueOf(arguments[0]);
        List<Integer> ports = Arrays.stream(arguments[2].split(",")).map(Integer::valueOf).toList();
        int status = new Member(kind, new Seat(Integer.parseInt(arguments[1]), ports)).run();
        // A system whose threads do not end must not keep its process; a recording is written on the way out.
        System.exit(status);
    }

    private int run() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say(Line.of("ready"));
        try {
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                Line command = Line.parse(text);
                if (command.verb().equals("exit")) {
                    return 0;
                }
                say(answer(command));
            }
            return 0;
        } catch (RuntimeException e) {
            e.printStackTrace();
            say(Line.of("failed").with("why", e.toString().lines().findFirst().orElse("")));
            return 1;
        }
    }

    private static void say(Line line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    private Line answer(Line command) {
        return switch (command.verb()) {
            case "join" -> join();
            case "run" -> runPhase(command);
            case "cost" -> cost();
            case "latencies" -> latencies();
            case "ping" -> ping(command);
            case "slow" -> {
                receipts.pauseAfterEach(command.number("nanos"));
                yield Line.of("slowed");
            }
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
        // What it costs to be in a view counts from here.
        before = Usage.now();
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
        int phase = command.count("phase");
        int senders = command.count("senders");
        long at = command.number("at");
        CountDownLatch over = new CountDownLatch(1);
        if (command.number("sample", 0) > 0) {
            startSampling(command.number("sample"), over);
        }
        packetsBefore = system.packetsSent();
        sleepUntil(at);
        before = Usage.now();
        long began = System.nanoTime();
        long sent = 0;
        if (seat.rank() < senders) {
            sent = send(phase, command.count("size"), began, command.number("time"), command.number("interval", 0));
        }
        boolean isComplete = true;
        for (int count = 0; count < senders && isComplete; count++) {
            isComplete = system.await(receipts.ended(), command.number("timeout"));
        }
        over.countDown();
        String fault = isComplete ? receipts.fault() : "not everything has come within the time limit";
        long own = seat.rank() < senders ? receipts.received(seat.rank()) : 0;
        long others = -own;
        for (int rank = 0; rank < senders; rank++) {
            others += receipts.received(rank);
        }
        return Line.of("ran")
                .with("began", began)
                .with("ended", receipts.endedAtNanos())
                .with("sent", sent)
                .with("own", own)
                .with("others", others)
                .with("fault", fault == null ? "" : fault);
    }

    private static void sleepUntil(long atNanos) {
        for (long left = atNanos - System.nanoTime(); left > 0; left = atNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Sends until the time is over, and then says how much it was.
     *
     * @param intervalNanos between two messages, which then carry their time; 0 for as many as possible
     */
    private long send(int phase, int size, long began, long timeNanos, long intervalNanos) {
        byte[] message = Content.message(seat.rank(), phase, size);
        long unchanged = Content.sum(message, 0, size);
        long sum = 0;
        long count = 0;
        Semaphore never = new Semaphore(0);
        // The clock is read for every message of some size, and for every 16th small one.
        long mask = size < 4096 && intervalNanos == 0 ? 15 : 0;
        while ((count & mask) != 0 || System.nanoTime() - began < timeNanos) {
            long time = 0;
            if (intervalNanos > 0) {
                long due = began + count * intervalNanos;
                long left = due - System.nanoTime();
                if (left > 0) {
                    system.await(never, left);
                }
                // A message that was held up by the one before counts from when it was due.
                time = System.nanoTime();
                time = time - due > LATE_NANOS ? due : time;
                Content.ARRAY_LONG.set(message, Content.TIME, time);
            }
            Content.ARRAY_LONG.set(message, Content.NUMBER, count);
            system.multicast(message);
            sum += unchanged + count + time;
            count++;
        }
        system.multicast(Content.end(seat.rank(), phase, count, sum));
        return count;
    }

    private Line cost() {
        Line line = Line.of("cost").with("packets", system.packetsSent() - packetsBefore);
        Usage.now().minus(before).writeTo(line);
        system.writeStatus();
        return line;
    }

    /** Reports what is held, at intervals, while a phase runs. */
    private static void startSampling(long intervalNanos, CountDownLatch over) {
        Thread.ofPlatform().daemon().name("sampler").start(() -> {
            try {
                while (!over.await(intervalNanos, TimeUnit.NANOSECONDS)) {
                    Line line = Line.of("sample");
                    Usage.writeHeldTo(line);
                    say(line);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    // ------------------------------------------------------------------ latency

    /** The times of the last phase's messages from other members, in nanoseconds. */
    private Line latencies() {
        List<long[]> samples = receipts.samples();
        samples.set(seat.rank(), new long[0]);
        return Line.of("latencies").with("nanos", join(samples.stream().flatMapToLong(Arrays::stream).toArray()));
    }

    private static String join(long[] values) {
        return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(","));
    }

    /** One message to another member and back, one at a time; without {@code to}, gets ready to answer. */
    private Line ping(Line command) {
        int size = command.count("size");
        pong = Content.message(seat.rank(), Receipts.PONG, size);
        int to = (int) command.number("to", -1);
        if (to < 0) {
            if (command.number("answer", 0) > 0) {
                // Systems without threads of their own answer while they wait.
                system.await(new Semaphore(0), command.number("answer"));
            }
            return Line.of("pinged").with("nanos", "");
        }
        byte[] ping = Content.message(seat.rank(), Receipts.PING, size);
        long[] nanos = new long[command.count("count")];
        for (int index = 0; index < nanos.length; index++) {
            long began = System.nanoTime();
            system.unicast(to, ping);
            if (!system.await(pongs, command.number("timeout"))) {
                throw new BenchException("ping " + index + " was not answered");
            }
            nanos[index] = System.nanoTime() - began;
        }
        return Line.of("pinged").with("nanos", join(nanos));
    }
}
