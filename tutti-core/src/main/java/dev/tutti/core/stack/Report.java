package dev.tutti.core.stack;

/** Takes names and values of state and counters, for {@code tutti view}, metrics and tests. */
public interface Report {

    /**
     * @param name in lower case with hyphens, the unit last: {@code sent-bytes}
     */
    void put(String name, long value);

    void put(String name, String value);

    /** Returns the section for the values of {@code name}: a layer, a link, a member. */
    Report section(String name);
}
