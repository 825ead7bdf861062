package dev.tutti.sites.internal.relay;

/**
 * Messages that another site lacks, as far as they are kept.
 *
 * @param bytes of them, with the overhead of each
 * @param ageNanos time since the oldest was kept, to within half a second; 0 if there is none
 */
public record Lag(long messages, long bytes, long ageNanos) {

    static final Lag NONE = new Lag(0, 0, 0);
}
