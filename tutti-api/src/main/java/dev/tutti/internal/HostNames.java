package dev.tutti.internal;

import java.util.List;

/** Name service of a host. From any thread. */
@FunctionalInterface
public interface HostNames {

    /**
     * Returns the addresses of a host, as literals without brackets, in the order of the name service; empty if the name has none.
     * Blocks, perhaps for seconds.
     */
    List<String> addresses(String host);
}
