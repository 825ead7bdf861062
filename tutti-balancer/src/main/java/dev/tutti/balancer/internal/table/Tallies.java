package dev.tutti.balancer.internal.table;

/** Present numbers of nodes at this balancer, by which a choice is made. */
public interface Tallies {

    /** Returns the requests to a node that have no answer yet. */
    int inFlight(String route);

    /** Returns the sessions that a node serves: as announced, and those that it has begun since. */
    long sessions(WebNode node);

    /** Returns the requests that were sent to a node. */
    long sent(String route);

    /** Returns whether the last request could not be sent to a node, or was not answered, and it has not been tried again. */
    boolean isSuspect(String route);
}
