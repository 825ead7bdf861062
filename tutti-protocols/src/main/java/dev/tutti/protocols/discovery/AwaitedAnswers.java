package dev.tutti.protocols.discovery;

import java.util.ArrayDeque;
import java.util.Collection;

/** Answers of sources and addresses that joins wait for, each for a bounded time. */
final class AwaitedAnswers {

    private final long patienceNanos;
    private final SourceLists sources;

    /** Addresses whose answer is awaited, oldest first. Some may have answered meanwhile. */
    private final ArrayDeque<Address> unanswered = new ArrayDeque<>();

    private long startNanos;

    /** @param patienceNanos time for which an answer of an address is awaited */
    AwaitedAnswers(long patienceNanos, SourceLists sources) {
        this.patienceNanos = patienceNanos;
        this.sources = sources;
    }

    void onStart(long nowNanos) {
        startNanos = nowNanos;
    }

    /** Waits for the answer of an address that has become known. */
    void await(Address address, long nowNanos) {
        // Else the queue would grow while nobody asks.
        dropAnswered(nowNanos);
        unanswered.add(address);
    }

    /** Returns whether all sources and all addresses have answered, or their time to answer is over. */
    boolean areComplete(long nowNanos) {
        if (!sources.areComplete() && nowNanos - startNanos < patienceNanos) {
            return false;
        }
        dropAnswered(nowNanos);
        return unanswered.isEmpty();
    }

    private void dropAnswered(long nowNanos) {
        while (!unanswered.isEmpty() && !isAwaited(unanswered.element(), nowNanos)) {
            unanswered.remove();
        }
    }

    private boolean isAwaited(Address address, long nowNanos) {
        return !address.isAnswered && nowNanos - address.knownNanos < patienceNanos;
    }

    /** Returns whether every source has given a list, and every address that somebody wants is resolved; {@link Discovery#isEverySeedKnown}. */
    boolean isEverySeedKnown(Collection<Address> addresses, long seedPatienceNanos, long nowNanos) {
        if (!sources.areComplete() && nowNanos - startNanos < seedPatienceNanos) {
            return false;
        }
        for (Address address : addresses) {
            if (address.isWanted() && !address.isKnown()) {
                long endNanos = address.knownNanos + seedPatienceNanos;
                if (nowNanos < endNanos || address.dial.isUnderWay && address.dial.begunNanos < endNanos) {
                    return false;
                }
            }
        }
        return true;
    }
}
