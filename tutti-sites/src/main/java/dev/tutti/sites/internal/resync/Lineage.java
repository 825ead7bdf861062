package dev.tutti.sites.internal.resync;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import java.util.List;
import java.util.TreeSet;

/**
 * Origin of a site's state, and what it lacks for good. Which of two sites takes over the state of the other is decided by it: one that
 * lacks messages takes that of one that does not; otherwise the one whose state was begun later takes that of the earlier one. The
 * same at all members of a site. Not thread-safe.
 */
public final class Lineage {

    private final String site;

    /** Wall-clock time in milliseconds at which the state was begun, by the site that the present one comes from. */
    private long begunMillis;

    /** Sites of whose messages some are lost to this site. */
    private final TreeSet<String> behind = new TreeSet<>();

    public Lineage(String site, long begunMillis) {
        this.site = site;
        this.begunMillis = begunMillis;
    }

    public long begunMillis() {
        return begunMillis;
    }

    /** Returns whether messages of other sites are lost to this one. */
    public boolean isBehind() {
        return !behind.isEmpty();
    }

    public void onGap(String other) {
        behind.add(other);
    }

    /** Notes that another site goes on with the state of this one: this one lacks nothing that the other has. */
    public void onGiven(String other) {
        behind.remove(other);
    }

    /** Returns the sites of whose messages some are lost to this one; a copy. */
    public List<String> behind() {
        return List.copyOf(behind);
    }

    /** Notes that the state is that of another site now, with what that lacks. */
    public void onTaken(Cut cut) {
        begunMillis = cut.begunMillis();
        behind.clear();
        behind.addAll(cut.behind());
        behind.remove(site);
    }

    /**
     * Returns why this site does not give its state to another one; empty if it does.
     *
     * @param other name of the other site
     * @param theirBegunMillis time at which the other state was begun
     * @param isTheirBehind whether messages are lost to the other site
     * @param isLast whether there is no third site whose state this one could take over
     */
    public String objection(String other, long theirBegunMillis, boolean isTheirBehind, boolean isLast) {
        if (!isTheirBehind) {
            return begunMillis < theirBegunMillis ? "" : "the state of site " + other + " is not younger";
        }
        boolean isFirst = begunMillis < theirBegunMillis || begunMillis == theirBegunMillis && site.compareTo(other) < 0;
        return !isBehind() || isFirst && isLast ? "" : "site " + site + " lacks messages, too, and takes over the state of another one first";
    }

    public void put(ByteOutput out) {
        out.putLong(begunMillis).putInt(behind.size());
        behind.forEach(out::putText);
    }

    public void take(ByteInput in) {
        begunMillis = in.takeLong();
        behind.clear();
        for (int left = in.takeCount(Integer.BYTES); left > 0; left--) {
            behind.add(in.takeText());
        }
    }
}
