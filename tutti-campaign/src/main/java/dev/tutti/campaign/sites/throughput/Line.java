package dev.tutti.campaign.sites.throughput;

/** One end of a line, which sends to the other. */
interface Line {

    /** Sends as much as it sends at once when it is to be fast; waits while the line takes no more. */
    void send();

    /** Sends one message. */
    void sendOne();

    /** Returns the number of messages that were sent, or that it has not to be told. */
    long sent();

    /** Returns the number of messages that have arrived, in order, once each. */
    long arrived();

    /** Returns whether the other end is there. */
    boolean isConnected();
}
