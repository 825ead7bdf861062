package dev.tutti.protocols.datagram.watch;

import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.stack.Report;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Watches over the processes at the other ends of connections, and the driver's reports that one of them is gone.
 *
 * <p>A report is no proof: a firewall may refuse connections to a process that runs. It therefore makes dials to its endpoint
 * doubtful for a while. A doubtful dial that is not answered within {@link #doubtNanos} counts as refused; an answered one opens
 * its connection as any other.
 */
public final class Watches {

    /** Reports that are kept; the oldest makes room. */
    static final int REPORTS_MAX = 1_024;

    /** Time for which a report counts. Its connection is dialled again at once, but the look-up of a name may take long. */
    static final long REPORT_NANOS = 1_000_000_000L;

    /** Time that a doubtful dial waits beyond two round trips: OPEN is sent twice in it. */
    static final long DOUBT_NANOS = 50_000_000;

    private record Doubt(long untilNanos, long waitNanos) {}

    private final TreeSet<Endpoint> watched = new TreeSet<>();

    /** Endpoints whose processes were reported as gone, the oldest report first. */
    private final LinkedHashMap<Endpoint, Doubt> doubts = new LinkedHashMap<>();

    private final ArrayDeque<Consumer<DatagramEffects>> queue = new ArrayDeque<>();
    private long reports;
    private long refusals;

    /** Watches an endpoint, unless it is watched. */
    public void begin(Endpoint peer) {
        if (watched.add(peer)) {
            queue.add(effects -> effects.watch(peer));
        }
    }

    /** Ends the watch of an endpoint, if it is watched. Reports about it stay. */
    public void end(Endpoint peer) {
        if (watched.remove(peer)) {
            queue.add(effects -> effects.unwatch(peer));
        }
    }

    public boolean contains(Endpoint peer) {
        return watched.contains(peer);
    }

    /**
     * Takes the driver's report that the process at an endpoint is gone.
     *
     * @param roundTripNanos round trip of the path to it
     */
    public void onRefused(Endpoint peer, long roundTripNanos, long nowNanos) {
        reports++;
        doubts.remove(peer);
        while (!doubts.isEmpty()
                && (doubts.size() >= REPORTS_MAX || doubts.firstEntry().getValue().untilNanos <= nowNanos)) {
            doubts.pollFirstEntry();
        }
        doubts.put(peer, new Doubt(nowNanos + REPORT_NANOS, DOUBT_NANOS + 2 * roundTripNanos));
    }

    /** Returns the time after which an unanswered dial to an endpoint counts as refused; 0 if its process was not reported as gone. */
    public long doubtNanos(Endpoint peer, long nowNanos) {
        Doubt doubt = doubts.get(peer);
        return doubt == null || doubt.untilNanos <= nowNanos ? 0 : doubt.waitNanos;
    }

    /** Counts a doubtful dial that was not answered. */
    public void countRefusal() {
        refusals++;
    }

    /** Hands out the beginnings and ends of watches since the last call, in order. */
    public void drain(DatagramEffects effects) {
        Consumer<DatagramEffects> next = queue.poll();
        while (next != null) {
            next.accept(effects);
            next = queue.poll();
        }
    }

    public void report(Report section) {
        section.put("watched", watched.size());
        section.put("watch-reports", reports);
        section.put("watch-refusals", refusals);
    }
}
