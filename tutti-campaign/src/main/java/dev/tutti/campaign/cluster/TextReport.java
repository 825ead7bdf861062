package dev.tutti.campaign.cluster;

import dev.tutti.core.stack.Report;

/** Appends a report to a text, as names and values in one line. */
record TextReport(StringBuilder text, String prefix) implements Report {

    @Override
    public void put(String name, long value) {
        put(name, Long.toString(value));
    }

    @Override
    public void put(String name, String value) {
        text.append(prefix).append(name).append('=').append(value).append(' ');
    }

    @Override
    public Report section(String name) {
        return new TextReport(text, prefix + name + ".");
    }
}
