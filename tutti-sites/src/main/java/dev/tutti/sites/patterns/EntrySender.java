package dev.tutti.sites.patterns;

import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.Reach;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.internal.map.SiteMapFrame;
import dev.tutti.sites.internal.map.SiteMapFrame.KeyWrite;
import dev.tutti.sites.internal.map.SiteMapFrame.Wire;
import java.util.ArrayList;
import java.util.List;

/** Sends entries of a {@link MultiSiteMap} to those who lack them. Its methods may wait. */
final class EntrySender<K, V> {

    /** Bytes of an answer that are under way at a time, and part of what the group may keep that they are at most. */
    private static final int TELL_BYTES = 512 * 1024;

    private static final int TELL_PART = 8;

    /** Gaps in a message that answers no question. */
    private static final long NO_ANSWER = -1;

    private final Wire<K, V> wire;

    EntrySender(Wire<K, V> wire) {
        this.wire = wire;
    }

    /** Tells all to a site, and that it is all. */
    void tellAll(SiteGroup joined, String other, long gaps, List<KeyWrite<K, V>> all) {
        if (tellInPieces(joined, gaps, all, Reach.of(other))) {
            trySend(joined, new SiteMapFrame.Tell<>(gaps, true, List.of()), Reach.of(other));
        }
    }

    /** Tells the members of this site writes that they may lack. */
    void tellHere(SiteGroup joined, List<KeyWrite<K, V>> writes) {
        tellInPieces(joined, NO_ANSWER, writes, Reach.HERE);
    }

    /**
     * Sends one message after the other, so that the group never keeps many of them, and drops none because of its bound. Returns whether
     * all were sent.
     */
    private boolean tellInPieces(SiteGroup joined, long gaps, List<KeyWrite<K, V>> all, Reach reach) {
        long bytesMax = Math.min(TELL_BYTES, joined.retainedBytesMax() / TELL_PART);
        List<KeyWrite<K, V>> batch = new ArrayList<>();
        ByteOutput size = new ByteOutput();
        for (KeyWrite<K, V> each : all) {
            wire.put(each, size);
            batch.add(each);
            if (size.length() >= bytesMax) {
                if (!trySend(joined, new SiteMapFrame.Tell<>(gaps, false, batch), reach) || !isPassed(joined, reach)) {
                    return false;
                }
                batch = new ArrayList<>();
                size = new ByteOutput();
            }
        }
        return batch.isEmpty() || trySend(joined, new SiteMapFrame.Tell<>(gaps, false, batch), reach) && isPassed(joined, reach);
    }

    /** Waits until the sites that a message is for have it; not for this one, where no bound drops it. */
    private static boolean isPassed(SiteGroup joined, Reach reach) {
        try {
            return reach.sites().stream().allMatch(joined::awaitAcknowledged);
        } catch (SendException e) {
            return false;
        }
    }

    /** Sends what is asked for, or said, again later if it is not accepted now. */
    boolean trySend(SiteGroup joined, SiteMapFrame<K, V> frame, Reach reach) {
        try {
            joined.send(wire.encode(frame), reach);
            return true;
        } catch (SendException e) {
            return false;
        }
    }
}
