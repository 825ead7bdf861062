package dev.tutti.sites;

import java.util.List;
import java.util.Optional;

/**
 * The sites, as the masters of all sites that are connected see them together: at connected sites, the views with one
 * number are the same. Each node is told views with growing numbers; it may miss some.
 *
 * @param number of the view; grows
 * @param sites all sites that were ever seen, by name
 */
public record SitesView(long number, List<Site> sites) {

    /** View of a node that was told none yet. */
    static final SitesView NONE = new SitesView(0, List.of());

    public SitesView {
        sites = List.copyOf(sites);
    }

    /** Returns the site of a name. */
    public Optional<Site> site(String name) {
        return sites.stream().filter(site -> site.name().equals(name)).findFirst();
    }

    /** Returns the names of the sites that are up. */
    public List<String> up() {
        return sites.stream().filter(site -> site.state() == Site.State.UP).map(Site::name).toList();
    }

    @Override
    public String toString() {
        return number + " " + sites;
    }
}
