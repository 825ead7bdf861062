package dev.tutti.sites;

import java.util.List;

/**
 * Sites that a message of a {@link SiteGroup} reaches.
 *
 * @param sites names of the sites; all sites if {@link #isEverywhere}, and none for {@link #HERE}
 * @param isForOne whether one member of each of them gets the message, and not all members
 */
public record Reach(boolean isEverywhere, List<String> sites, boolean isForOne) {

    /** All members of all sites. */
    public static final Reach EVERYWHERE = new Reach(true, List.of(), false);

    /** All members of the sender's site. */
    public static final Reach HERE = new Reach(false, List.of(), false);

    /** Most sites that one message may name. */
    public static final int SITES_MAX = 64;

    public Reach {
        sites = List.copyOf(sites);
        if (sites.size() > SITES_MAX) {
            throw new IllegalArgumentException("a message names " + sites.size() + " sites, and at most " + SITES_MAX
                    + " are possible; send it everywhere");
        }
        if (isEverywhere && !sites.isEmpty()) {
            throw new IllegalArgumentException("a message for all sites names no sites, not " + sites);
        }
    }

    /** All members of these sites; of the sender's own only if it is among them. */
    public static Reach of(String... sites) {
        return new Reach(false, named(sites), false);
    }

    /** One member of each of these sites. The members of a site take turns. */
    public static Reach oneAt(String... sites) {
        return new Reach(false, named(sites), true);
    }

    private static List<String> named(String... sites) {
        if (sites.length == 0) {
            throw new IllegalArgumentException("at least one site is needed; Reach.EVERYWHERE reaches all, Reach.HERE the own one");
        }
        return List.of(sites);
    }
}
