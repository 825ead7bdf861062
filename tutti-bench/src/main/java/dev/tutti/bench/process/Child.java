package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A member, as the coordinator sees it. */
public final class Child {

    private final String name;
    private final int rank;
    private final Host host;
    private final List<Line> lines = new ArrayList<>();
    private boolean isOver;
    private int coordinator = -1;
    private long received;

    Child(String name, int rank, Host host) {
        this.name = name;
        this.rank = rank;
        this.host = host;
    }

    public int rank() {
        return rank;
    }

    void add(Line line) {
        synchronized (lines) {
            switch (line.verb()) {
                case "view" -> {
                    coordinator = line.count("coordinator");
                    lines.add(line);
                }
                case "progress" -> received = line.number("received");
                default -> lines.add(line);
            }
            lines.notifyAll();
        }
    }

    /** Notes that its process has ended. */
    void end() {
        synchronized (lines) {
            isOver = true;
            lines.notifyAll();
        }
    }

    public Child say(Line line) {
        host.say(line.to(rank));
        return this;
    }

    /** Waits for a line and takes it. */
    public Line await(String verb, Duration timeout) {
        return await(verb, line -> true, timeout);
    }

    public Line await(String verb, Predicate<Line> condition, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (lines) {
            while (true) {
                Line found = take(verb, condition);
                if (found != null) {
                    return host.fromThere(found);
                }
                Line failed = take("failed", line -> true);
                if (failed != null || isOver) {
                    String what = failed == null ? host.end() : " failed: " + failed.text("why").replace('_', ' ');
                    throw new BenchException(name + what + host.tail());
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new BenchException(name + " has not said '" + verb + "' within " + timeout.toMillis() + " ms"
                            + host.tail());
                }
                waitNanos(left);
            }
        }
    }

    private void waitNanos(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(lines, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    private @Nullable Line take(String verb, Predicate<Line> condition) {
        for (Iterator<Line> each = lines.iterator(); each.hasNext(); ) {
            Line line = each.next();
            if (line.verb().equals(verb) && condition.test(line)) {
                each.remove();
                return line;
            }
        }
        return null;
    }

    /** Takes all lines of this kind that have arrived so far. */
    public List<Line> takeAll(String verb) {
        List<Line> taken = new ArrayList<>();
        synchronized (lines) {
            for (Line line = take(verb, any -> true); line != null; line = take(verb, any -> true)) {
                taken.add(host.fromThere(line));
            }
        }
        return taken;
    }

    /** Returns the rank of the coordinator in its latest view; -1 if unknown. */
    public int coordinator() {
        synchronized (lines) {
            return coordinator;
        }
    }

    /** Returns the number of messages of the current phase that it has delivered, by its latest report. */
    long received() {
        synchronized (lines) {
            return received;
        }
    }

    /** Stops its process, as {@code kill -STOP} does, until it is killed. */
    public void stop() {
        host.stop();
    }

    /** Kills its process, as {@code kill -9} does. */
    public void kill() {
        host.kill();
    }
}
