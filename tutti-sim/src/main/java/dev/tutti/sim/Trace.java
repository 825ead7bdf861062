package dev.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Trace of a run: a hash over all events, and the last of them for people.
 *
 * <p>The hash depends on the time, place, kind and content of each event and on their order, so that two runs with the
 * same hash were identical.
 */
public final class Trace {

    /** Kind of an event. */
    public enum Kind {
        START,
        CRASH,
        STOP,
        PAUSE,
        RESUME,
        DIAL,
        DIAL_FAILED,
        CONNECTED,
        ACCEPTED,
        FRAME,
        CLOSE,
        DISCONNECTED,
        BREAK,
        CUT,
        HEAL,
        CLOG,
        UNCLOG,
        CLOCK,
        NOTE
    }

    private record Event(long timeNanos, Kind kind, String place, String text) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%14.6f ms  %-4s %-12s %s", timeNanos / 1e6, place, kind, text);
        }
    }

    private record Frame(long timeNanos, String place, String from, int connection, int length, int type, long sum) {
        @Override
        public String toString() {
            String text = "from " + from + " on " + connection + ", " + length + " bytes, first " + type + ", sum "
                    + Long.toHexString(sum);
            return new Event(timeNanos, Kind.FRAME, place, text).toString();
        }
    }

    private static final int KEPT = 1 << 12;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private final @Nullable Object[] last = new Object[KEPT];
    private final long[] counts = new long[Kind.values().length];
    private final CRC32C checksum = new CRC32C();
    private long hash;
    private long count;

    Trace(long seed) {
        hash = seed;
    }

    void add(long timeNanos, Kind kind, String place, String text) {
        mix(timeNanos);
        mix(kind.ordinal());
        mix(place.hashCode());
        mix(text.hashCode());
        last[(int) (count++ & (KEPT - 1))] = new Event(timeNanos, kind, place, text);
        counts[kind.ordinal()]++;
    }

    void addFrame(long timeNanos, String place, String from, int connection, byte[] bytes) {
        checksum.reset();
        checksum.update(bytes, 0, bytes.length);
        long sum = checksum.getValue();
        mix(timeNanos);
        mix(place.hashCode());
        mix(from.hashCode() * 31L + connection);
        mix(sum << 32 | bytes.length);
        int type = bytes.length == 0 ? -1 : bytes[0] & 0xff;
        last[(int) (count++ & (KEPT - 1))] = new Frame(timeNanos, place, from, connection, bytes.length, type, sum);
        counts[Kind.FRAME.ordinal()]++;
    }

    private void mix(long value) {
        hash = Long.rotateLeft(hash ^ value, 27) * GOLDEN;
    }

    /** Returns the hash, which is equal for equal runs. */
    public long hash() {
        return hash ^ hash >>> 32;
    }

    /** Returns the number of events of {@code kind}. */
    public long count(Kind kind) {
        return counts[kind.ordinal()];
    }

    /** Returns the last events, oldest first; at most 4,096 are kept. */
    public List<String> last(int eventsMax) {
        List<String> texts = new ArrayList<>();
        for (long index = Math.max(0, count - Math.min(eventsMax, KEPT)); index < count; index++) {
            texts.add(String.valueOf(last[(int) (index & (KEPT - 1))]));
        }
        return texts;
    }
}
