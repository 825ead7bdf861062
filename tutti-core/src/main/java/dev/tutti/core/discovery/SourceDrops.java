package dev.tutti.core.discovery;

/**
 * Entries and datagrams that a {@link DiscoverySource} has passed over since its start.
 *
 * @param malformed could not be read: damaged, or somebody else's
 * @param overflow were more than the source takes
 */
public record SourceDrops(long malformed, long overflow) {

    public static final SourceDrops NONE = new SourceDrops(0, 0);
}
