package dev.tutti.blocks.internal.clock;

import dev.tutti.Problem;
import dev.tutti.Threads;
import dev.tutti.internal.Check;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Time of writes: a hybrid logical clock whose physical part stays near the clocks of all nodes. Under the map's lock.
 *
 * <p>After S. Kulkarni, M. Demirbas, D. Madeppa, B. Avva, M. Leone, <em>Logical Physical Clocks and Consistent Snapshots in
 * Globally Distributed Databases</em>, 2014. A stamp is 48 bits of milliseconds and 16 bits that count; a count that overflows
 * carries into the milliseconds. {@link #tick} is above every stamp that was made or learned before, and at least the wall
 * clock; {@link #learn} raises the clock to a stamp of another member.
 *
 * <p><b>Bounded drift.</b> Each message carries its sender's wall clock. The median of these readings, moved on with the
 * monotonic clock, is the time of the group. A wall clock that is further from it than the limit is cut to the limit, and a
 * stamp that is further ahead of it is not learned; both are counted. So a clock that is an hour wrong shifts the stamps of its
 * node by the limit, and those of other nodes by nothing. Nodes that left are remembered: a member that a partition has
 * isolated still knows how wrong its clock is.
 */
public final class HybridClock {

    /**
     * Time in a message.
     *
     * @param written the stamp of the writes in it; 0 if time does not decide
     * @param wallMillis the wall clock of the sender
     */
    public record Stamp(long written, long wallMillis) {

        public static final Stamp NONE = new Stamp(0, 0);
    }

    /**
     * Time as a member knows it, for members that get its state.
     *
     * @param stamp the highest that was made or learned; 0 if time does not decide
     * @param walls the wall clocks of nodes, by address
     */
    public record Known(long stamp, Map<String, Long> walls) {

        public static final Known NONE = new Known(0, Map.of());
    }

    /**
     * Offset of a node's wall clock from this node's monotonic clock. A delayed message makes it look smaller, so it is
     * the highest of the last two periods.
     */
    private record Reading(long millis, long formerMillis, long beganNanos) {

        long offsetMillis() {
            return Math.max(millis, formerMillis);
        }

        Reading next(long read, long nowNanos) {
            if (nowNanos - beganNanos < PERIOD_NANOS) {
                return new Reading(Math.max(millis, read), formerMillis, beganNanos);
            }
            return new Reading(read, nowNanos - beganNanos < 2 * PERIOD_NANOS ? millis : read, nowNanos);
        }
    }

    private final String map;
    private final Threads threads;
    private final String self;
    private final long errorMaxMillis;
    private final long originNanos;

    /** Readings by address, which a node keeps over restarts; the latest comes last. */
    private final LinkedHashMap<String, Reading> readings = new LinkedHashMap<>();

    private long last;

    /** Wall clock when it was read last. */
    private long wallMillis;

    private long groupOffsetMillis;
    private long othersOffsetMillis;
    private long ownOffsetMillis;
    private long comparedNanos;
    private boolean isCompared;
    private long cut;
    private long refused;

    /**
     * @param self address of this node
     * @param errorMaxMillis maximum distance of a clock from the median of all
     */
    public HybridClock(String map, Threads threads, String self, long errorMaxMillis) {
        this.map = map;
        this.threads = threads;
        this.self = self;
        this.errorMaxMillis = errorMaxMillis;
        this.originNanos = threads.nanoTime();
    }

    /** Returns a stamp above all before. */
    public long tick() {
        long nowMillis = nowMillis();
        if (nowMillis != wallMillis) {
            cut++;
        }
        last = Math.max(last + 1, nowMillis << COUNT_BITS);
        return last;
    }

    /** Returns a stamp for a write over one of {@code before}: later than that, however wrong its clock was. */
    private long tickAfter(long before) {
        long stamp = tick();
        return stamp > before || before == Long.MAX_VALUE ? stamp : before + 1;
    }

    /** Returns the time for a message of this member, whose writes replace those of {@code before}. */
    public Stamp stamp(long before) {
        long written = tickAfter(before);
        return new Stamp(written, wallMillis);
    }

    /** Takes account of a received stamp. */
    public void learn(long stamp) {
        if (stamp > last) {
            if (stamp >> COUNT_BITS > nowMillis() + errorMaxMillis) {
                refused++;
            } else {
                last = stamp;
            }
        }
    }

    /** Takes account of a node's wall clock. */
    public void read(String address, long wallMillis) {
        if (address.equals(self) || wallMillis < 0 || wallMillis > WALL_MILLIS_MAX) {
            return;
        }
        long nowNanos = elapsedNanos();
        long offsetMillis = wallMillis - nowNanos / 1_000_000;
        Reading before = readings.remove(address);
        readings.put(
                address,
                before == null ? new Reading(offsetMillis, offsetMillis, nowNanos) : before.next(offsetMillis, nowNanos));
        if (readings.size() > READINGS_MAX) {
            readings.remove(readings.firstEntry().getKey());
        }
        isCompared &= before != null;
    }

    /** Returns the time to transfer with a state: all wall clocks that are known here, this node's among them. */
    public Known time() {
        Map<String, Long> walls = new LinkedHashMap<>();
        long nowMillis = elapsedNanos() / 1_000_000;
        readings.forEach((address, reading) -> walls.put(address, Math.clamp(reading.offsetMillis() + nowMillis, 0, WALL_MILLIS_MAX)));
        nowMillis();
        walls.put(self, wallMillis);
        return new Known(last, walls);
    }

    /** Takes account of the time that came with a state. */
    public void learn(Known time) {
        time.walls().forEach(this::read);
        learn(time.stamp());
    }

    /** Returns by how much this node's wall clock is ahead of the median of the others; 0 if none is known. */
    public long errorMillis() {
        nowMillis();
        return readings.isEmpty() ? 0 : ownOffsetMillis - othersOffsetMillis;
    }

    /** Returns a remark on the error of this node's wall clock if it is beyond the limit; null otherwise. */
    public Check.@Nullable Remark remark() {
        long errorMillis = errorMillis();
        if (Math.abs(errorMillis) <= errorMaxMillis) {
            return null;
        }
        return new Check.Remark(
                Problem.Kind.CLOCK_WRONG,
                self,
                "map " + map + ": the wall clock of this node, " + self + ", is " + Math.abs(errorMillis) + " ms "
                        + (errorMillis > 0 ? "ahead of" : "behind") + " the median of " + readings.size() + " other nodes, and "
                        + errorMaxMillis + " ms are allowed (clockErrorMax); the last writer may not be the one that wrote last",
                "synchronise the clocks of all nodes with NTP: see chronyc tracking, or timedatectl timesync-status, here and there");
    }

    /** Returns the number of stamps for which the wall clock was cut to the limit. */
    public long cut() {
        return cut;
    }

    /** Returns the number of stamps that were too far ahead to be learned. */
    public long refused() {
        return refused;
    }

    private long elapsedNanos() {
        return threads.nanoTime() - originNanos;
    }

    /** Returns the wall clock, within the limit around the time of the group. */
    private long nowMillis() {
        long nowNanos = elapsedNanos();
        long elapsedMillis = nowNanos / 1_000_000;
        wallMillis = Math.clamp(threads.epochMillis(), 0, WALL_MILLIS_MAX);
        compare(wallMillis - elapsedMillis, nowNanos);
        long groupMillis = elapsedMillis + groupOffsetMillis;
        return Math.max(0, Math.clamp(wallMillis, groupMillis - errorMaxMillis, groupMillis + errorMaxMillis));
    }

    private void compare(long offsetMillis, long nowNanos) {
        boolean isSet = Math.abs(offsetMillis - ownOffsetMillis) > SET_MILLIS_MIN;
        if (isCompared && !isSet && nowNanos - comparedNanos < COMPARE_NANOS) {
            return;
        }
        isCompared = true;
        comparedNanos = nowNanos;
        ownOffsetMillis = offsetMillis;
        long[] others = readings.values().stream().mapToLong(Reading::offsetMillis).sorted().toArray();
        othersOffsetMillis = others.length == 0 ? offsetMillis : others[(others.length - 1) / 2];
        groupOffsetMillis = medianWith(others, offsetMillis);
    }

    /** Returns the lower median of {@code sorted} and one more: the same at both of two nodes. */
    private static long medianWith(long[] sorted, long one) {
        int at = sorted.length / 2;
        long low = at > 0 ? sorted[at - 1] : Long.MIN_VALUE;
        long high = at < sorted.length ? sorted[at] : Long.MAX_VALUE;
        return Math.clamp(one, low, high);
    }

    private static final int COUNT_BITS = 16;

    /** A time in the year 4199; up to it a stamp is a positive number. */
    private static final long WALL_MILLIS_MAX = 1L << 46;

    private static final long PERIOD_NANOS = 10_000_000_000L;
    private static final long COMPARE_NANOS = 1_000_000_000L;
    private static final long SET_MILLIS_MIN = 10;
    private static final int READINGS_MAX = 1_024;
}
