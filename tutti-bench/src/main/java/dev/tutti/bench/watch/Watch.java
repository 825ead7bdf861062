package dev.tutti.bench.watch;

/** Means by which members are watched while they work. */
public enum Watch {
    /** Not watched: nothing is open that could be read. */
    NOTHING,
    /** Each member by Prometheus, Micrometer, JMX and the flight recorder at once. */
    METRICS,
    /** All members by one console, with a page that is open. */
    CONSOLE,
    /** All of these, so that their code is compiled. */
    EVERYTHING;

    boolean hasMetrics() {
        return this == METRICS || this == EVERYTHING;
    }

    boolean hasConsole() {
        return this == CONSOLE || this == EVERYTHING;
    }
}
