package dev.tutti.bench;

import dev.tutti.core.settings.Size;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is sent.
 *
 * @param senders how many members send; those of the lowest ranks
 * @param threads of each of them
 * @param bytes of a message
 */
record Load(int senders, int members, int threads, int bytes) {

    private static final Pattern PATTERN = Pattern.compile("(\\d{1,4}|n)-?n");

    Load {
        if (members < 2 || senders < 1 || senders > members || threads < 1 || bytes < 1) {
            throw new BenchException("a load has 2 members or more, 1 sender or more, not more senders than members, 1 thread"
                    + " or more and 1 B or more, not: " + senders + " senders, " + members + " members, " + threads
                    + " threads, " + bytes + " B");
        }
    }

    /** The number of senders in a pattern such as {@code 1-n}, {@code n-n}, {@code 3-n}; the hyphen may be left out. */
    static int senders(String pattern, int members) {
        Matcher matcher = PATTERN.matcher(pattern);
        if (!matcher.matches()) {
            throw new BenchException("a pattern is 1-n, n-n, or a number of senders and -n, not '" + pattern + "'");
        }
        return matcher.group(1).equals("n") ? members : Integer.parseInt(matcher.group(1));
    }

    String pattern() {
        return senders == members ? "n-n" : senders + "-n";
    }

    boolean isAll() {
        return senders == members;
    }

    /** With a header, each message says which thread sent it. */
    boolean hasHeader() {
        return bytes >= Content.BYTES_MIN;
    }

    /** Why this system can't take it; empty if it can. */
    String obstacle(SystemKind system) {
        if (threads > 1 && !system.isForManyThreads()) {
            return "one thread only";
        }
        return system.hasMulticast() ? "" : "no multicast";
    }

    /** With the unit that it is a whole number of: 1 KiB, 100 B, 1 MB. */
    static String print(long bytes) {
        if (bytes > 0 && bytes % 1_000_000 == 0) {
            return bytes / 1_000_000 + " MB";
        }
        return bytes > 0 && bytes % 1_000 == 0 ? bytes / 1_000 + " kB" : new Size(bytes).toString();
    }

    @Override
    public String toString() {
        return pattern() + ", " + members + " members, " + Load.print(bytes) + (threads == 1 ? "" : ", " + threads + " threads");
    }
}
