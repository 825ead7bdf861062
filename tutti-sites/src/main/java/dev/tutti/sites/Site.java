package dev.tutti.sites;

import java.util.List;
import java.util.Locale;

/**
 * A site in a {@link SitesView}.
 *
 * @param name its name
 * @param state its state, as the masters of the sites see it together
 * @param members names of its nodes, the oldest first; the last that were known if it is not up
 */
public record Site(String name, State state, List<String> members) {

    /** State of a site. */
    public enum State {
        /** A master of the site is connected with the others. */
        UP,
        /** The site's last master has gone; another may take over. */
        SUSPECTED,
        /** The site has had no master for longer than {@link SitesBuilder#awayAfter}. */
        AWAY
    }

    public Site {
        members = List.copyOf(members);
    }

    @Override
    public String toString() {
        return name + " " + state.name().toLowerCase(Locale.ROOT) + " " + members;
    }
}
