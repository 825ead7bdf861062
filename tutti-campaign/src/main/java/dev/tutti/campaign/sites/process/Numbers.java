package dev.tutti.campaign.sites.process;

import java.util.ArrayDeque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of one sender's messages in the order in which one process has delivered them. A process that has just started begins
 * with any number; from then on the next one is always the successor. Not thread-safe.
 */
public final class Numbers {

    /** Deviation from the order. */
    public enum Fault {
        /** Numbers were passed over. */
        MISSING,
        /** A number that was passed over has come after all. */
        ORDER,
        /** A number came again. */
        DUPLICATE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Hole(long first, long last) {}

    /** Number of latest holes that are kept; a number of an older one counts as a duplicate. */
    private static final int HOLES_MAX = 1_024;

    private final ArrayDeque<Hole> holes = new ArrayDeque<>();
    private long first;
    private long last;
    private long missing;
    private long late;
    private long duplicates;

    /** Takes the next number, 1 or above, and returns the fault that it shows; null for none. */
    public @Nullable Fault add(long number) {
        if (first == 0) {
            first = number;
            last = number;
            return null;
        }
        if (number <= last) {
            for (Hole hole : holes) {
                if (number >= hole.first() && number <= hole.last()) {
                    late++;
                    return Fault.ORDER;
                }
            }
            duplicates += number < first ? 0 : 1;
            return number < first ? Fault.ORDER : Fault.DUPLICATE;
        }
        boolean isNext = number == last + 1;
        if (!isNext) {
            if (holes.size() == HOLES_MAX) {
                holes.removeFirst();
            }
            holes.addLast(new Hole(last + 1, number - 1));
            missing += number - 1 - last;
        }
        last = number;
        return isNext ? null : Fault.MISSING;
    }

    /** Returns the number of messages that were passed over. */
    public long missing() {
        return missing;
    }

    /** Returns the number of those that have come after all. */
    public long late() {
        return late;
    }

    /** Returns the number of messages that have come again. */
    public long duplicates() {
        return duplicates;
    }

    /** Returns the first number that was delivered; 0 before that. */
    public long first() {
        return first;
    }

    /** Returns the highest number that was delivered; 0 before the first. */
    public long last() {
        return last;
    }
}
