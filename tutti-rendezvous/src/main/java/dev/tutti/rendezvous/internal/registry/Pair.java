package dev.tutti.rendezvous.internal.registry;

/** Two nodes that are connected through the server, or about to be. */
public final class Pair {

    /** The node that has dialled, and waits. */
    public interface Dialler {

        /** The other node has not come in time. */
        void onTimeout();
    }

    final String cluster;
    final String ticket;
    final Dialler dialler;
    final long deadlineNanos;
    private boolean isOver;

    Pair(String cluster, String ticket, Dialler dialler, long deadlineNanos) {
        this.cluster = cluster;
        this.ticket = ticket;
        this.dialler = dialler;
        this.deadlineNanos = deadlineNanos;
    }

    public String cluster() {
        return cluster;
    }

    public Dialler dialler() {
        return dialler;
    }

    /** Returns whether it was not over before. */
    boolean end() {
        boolean wasOver = isOver;
        isOver = true;
        return !wasOver;
    }
}
