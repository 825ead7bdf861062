package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import org.jspecify.annotations.Nullable;

/** Window for this member's multicasts, which the slowest member, this one included, determines. */
final class SendWindow {

    private final PeerStreams streams;
    private final SentMulticasts sent;
    private boolean isNews = true;
    private long limitBytes;
    private @Nullable Member waitsFor;

    SendWindow(PeerStreams streams, SentMulticasts sent) {
        this.streams = streams;
        this.sent = sent;
    }

    /** Notes that a member may accept more. */
    void onNews() {
        isNews = true;
    }

    /** Returns whether a member may accept more, and forgets it. */
    boolean takeNews() {
        boolean was = isNews;
        isNews = false;
        return was;
    }

    /**
     * Announces the window if it has changed.
     *
     * @param sharedBytes bytes that this member may have sent while others send, too
     */
    void announce(long sharedBytes, Outbox out) {
        long limit = sent.own().limitBytes();
        Member slowest = streams.self();
        for (PeerStream pair : streams.all()) {
            long pairLimit = pair.multicastBaseBytes + pair.multicastLimitBytes;
            if (pairLimit < limit) {
                limit = pairLimit;
                slowest = pair.member();
            }
        }
        if (sharedBytes < limit) {
            limit = sharedBytes;
            // It opens as the others acknowledge, never by what this member consumes.
            slowest = slowest.equals(streams.self()) ? SharedWindow.slowest(streams.all()) : slowest;
        }
        if (limit != limitBytes || !slowest.equals(waitsFor)) {
            limitBytes = limit;
            waitsFor = slowest;
            out.raise(new Signal.Flow.Window(null, limit, slowest));
        }
    }

    /** Returns the bytes that may be sent now. */
    long openBytes() {
        return limitBytes - sent.bytes();
    }

    /** Returns the member that determines the window. */
    Member waitsFor() {
        Member present = waitsFor;
        return present == null ? streams.self() : present;
    }
}
