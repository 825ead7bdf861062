package dev.tutti.protocols.detection;

/**
 * Count of what the watchers of a node report.
 *
 * @param reports watchers that do not hear it
 * @param accused watchers that do not report it, and are reported themselves
 */
record WatcherCount(int watchers, int reports, int accused) {

    /** Returns whether the watchers that report the node are enough for a verdict. */
    boolean isCertain() {
        return high(watchers) <= reports;
    }

    boolean isOfMost() {
        return watchers < 2 * reports;
    }

    /**
     * Returns whether the reports are enough for a verdict. A watcher that is accused itself counts as well, or
     * nodes that crash together would protect each other. But the remaining watchers must agree, or a node that
     * hears few others because its own link is bad would judge most of them by itself.
     */
    boolean isVerdict() {
        return high(watchers) <= reports + accused && high(watchers - accused) <= reports;
    }

    String reason() {
        return "not heard by " + (reports + accused) + " of its " + watchers + " watchers";
    }

    /** Returns whether more watchers may be about to report it. */
    boolean isOpen() {
        return reports > 0 && low(watchers) <= reports + accused;
    }

    /** Returns the number of reports that make a verdict. */
    static int high(int watchers) {
        return watchers == 1 ? 1 : Math.max(2, (2 * watchers + 2) / 3);
    }

    /** Returns the number of reports from which on other verdicts wait until the node is judged or heard. */
    static int low(int watchers) {
        return Math.max(1, watchers / 3);
    }
}
