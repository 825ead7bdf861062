package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.protocols.packing.Submissions;
import java.util.List;

/** Nothing is ever submitted. */
final class TestSubmissions implements Submissions {

    @Override
    public List<Member> receivers() {
        return List.of();
    }

    @Override
    public Packet take(Member receiver, long bytesMax) {
        return null;
    }

    @Override
    public boolean isWaiting(Member receiver) {
        return false;
    }

    @Override
    public void restart(Member receiver) {
        // Nothing was taken.
    }

    @Override
    public void discard(Member receiver, String reason) {
        // Nothing waits.
    }

    @Override
    public boolean isEmpty() {
        return true;
    }

    @Override
    public void limit(Member receiver, long messageBytesMax, Member of) {
        // Nothing is as long.
    }

    @Override
    public void forget(Member receiver) {
        // Nothing is known.
    }

    @Override
    public void share(long bytes) {
        // Nothing is as long.
    }

    @Override
    public Large wantsTurn(Member receiver) {
        return null;
    }

    @Override
    public void giveTurn(Member receiver, int number) {
        // Nobody has asked.
    }

    @Override
    public long takenInTurn(Member receiver, int number) {
        return -1;
    }

    @Override
    public void onQueueMoved(Member receiver, int number) {
        // Nothing waits.
    }

    @Override
    public void explain(String waitsFor, Member closedBy) {
        // Nobody asks.
    }
}
