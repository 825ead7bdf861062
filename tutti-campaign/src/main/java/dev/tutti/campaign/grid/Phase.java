package dev.tutti.campaign.grid;

import java.util.Locale;

/** A part of the load, in this order. Times under way are reported for each, apart from the first. */
enum Phase {

    /** JVMs compile what they run, which takes most of the processors. */
    WARM_UP,

    /** Nothing is killed. */
    CALM,

    /** JVMs that have no part in the load are started at the times of kills, and nothing is killed. */
    STARTS,

    /** Mediators are killed. */
    KILLS;

    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Phase of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
