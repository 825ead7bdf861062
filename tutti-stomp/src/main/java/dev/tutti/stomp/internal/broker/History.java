package dev.tutti.stomp.internal.broker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last messages of a group, as many as fit, so that a client can resume here after another member. Thread-safe.
 */
public final class History {

    private static final int ORIGINS_MAX = 4_096;

    private final long bytesMax;
    private final ArrayDeque<Publication> kept = new ArrayDeque<>();
    private long bytes;
    private long end;

    /** By origin, the highest number up to which messages may be missing here. */
    private final LinkedHashMap<String, Long> missing = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > ORIGINS_MAX;
        }
    };

    History(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Adds the next delivered message and sets its position. */
    synchronized void add(Publication publication) {
        publication.position(end);
        end++;
        missing.putIfAbsent(publication.origin(), publication.number() - 1);
        kept.add(publication);
        bytes += publication.bytes();
        while (bytes > bytesMax) {
            Publication gone = kept.remove();
            bytes -= gone.bytes();
            missing.merge(gone.origin(), gone.number(), Math::max);
        }
    }

    /** Returns the position of the next message to come. */
    synchronized long end() {
        return end;
    }

    /** Returns the position of the oldest message kept. */
    public synchronized long start() {
        return end - kept.size();
    }

    /** Returns some of the messages from a position on; empty at the end. */
    public synchronized List<Publication> from(long position, int countMax) {
        List<Publication> found = new ArrayList<>();
        long skip = position - (end - kept.size());
        for (Publication each : kept) {
            if (skip > 0) {
                skip--;
            } else if (found.size() < countMax) {
                found.add(each);
            } else {
                break;
            }
        }
        return found;
    }

    /** Returns whether a message of {@code origin} with a number above {@code number} may have been dropped. */
    synchronized boolean hasForgotten(String origin, long number) {
        return missing.getOrDefault(origin, number) > number;
    }
}
