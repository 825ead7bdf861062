package dev.tutti.bench.comparison;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.systems.Content;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Size;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Load on a cluster.
 *
 * @param senders number of members that send; those of the lowest ranks
 * @param threads of each of them
 * @param bytes of a message
 */
public record Load(int senders, int members, int threads, int bytes) {

    private static final Pattern PATTERN = Pattern.compile("(\\d{1,4}|n)-?n");

    public Load {
        if (members < 2 || senders < 1 || senders > members || threads < 1 || bytes < 1) {
            throw new BenchException("a load has 2 members or more, 1 sender or more, not more senders than members, 1 thread"
                    + " or more and 1 B or more, not: " + senders + " senders, " + members + " members, " + threads
                    + " threads, " + bytes + " B");
        }
    }

    /** Returns the number of senders in a pattern like {@code 1-n}, {@code n-n}, {@code 3-n}; hyphens are optional. */
    public static int senders(String pattern, int members) {
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

    /** Returns whether messages have room for a header, which names the sending thread. */
    boolean hasHeader() {
        return bytes >= Content.BYTES_MIN;
    }

    /** Returns why this system can't take the load; empty if it can. */
    String obstacle(SystemKind system) {
        if (threads > 1 && !system.isForManyThreads()) {
            return "one thread only";
        }
        return system.hasMulticast() ? "" : "no multicast";
    }

    /** Formats a size in the largest unit of which it is a whole number: 1 KiB, 100 B, 1 MB. */
    public static String print(long bytes) {
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
