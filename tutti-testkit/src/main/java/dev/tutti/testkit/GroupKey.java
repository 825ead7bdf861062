package dev.tutti.testkit;

import dev.tutti.core.driver.TransportSettings;
import java.util.Comparator;

/** A group of one cluster: several clusters may have groups of the same name. */
record GroupKey(String cluster, String group) implements Comparable<GroupKey> {

    private static final Comparator<GroupKey> ORDER =
            Comparator.comparing(GroupKey::cluster).thenComparing(GroupKey::group);

    @Override
    public int compareTo(GroupKey other) {
        return ORDER.compare(this, other);
    }

    /** Returns the group's name, with that of its cluster if that is not the usual one. */
    @Override
    public String toString() {
        return cluster.equals(TransportSettings.CLUSTER.defaultValue()) ? group : group + " of cluster " + cluster;
    }
}
