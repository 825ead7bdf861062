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
    public void explain(String waitsFor) {
        // Nobody asks.
    }
}
