package dev.tutti.bench;

/** Who looks at the members while they work. */
enum Watch {
    /** Nobody: nothing is open that could be looked at. */
    NOTHING,
    /** Each by Prometheus, Micrometer, JMX and the flight recorder at once. */
    METRICS,
    /** All by one console, with a page that is open. */
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
