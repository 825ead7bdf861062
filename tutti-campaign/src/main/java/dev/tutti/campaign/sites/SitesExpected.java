package dev.tutti.campaign.sites;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Events that a campaign of sites has to reach, so that a claim to try something is never empty. */
public final class SitesExpected {

    /** Counts of {@link dev.tutti.sites.SiteGroup#status}. */
    static final List<String> STATUS = List.of("dropped", "duplicates", "incoming-refused", "incoming-stale", "streams-opened");

    private static final List<String> OTHERS = List.of(
            "gap", "list.AWAY", "list.SUSPECTED", "list.UP", "merge", "refused.QUEUE_FULL", "sent.everywhere", "sent.here",
            "sent.one-at", "sent.some-sites", "told.other-site", "told.own-site");

    private SitesExpected() {}

    /** Returns the number of times that each expected event was reached, by its readable name. */
    public static Map<String, Long> of(Map<String, Long> counts) {
        List<String> names = new ArrayList<>(STATUS);
        names.addAll(OTHERS);
        for (Trouble.Kind kind : Trouble.Kind.values()) {
            names.add("fault." + kind);
        }
        Map<String, Long> reached = new TreeMap<>();
        names.forEach(name -> reached.put("sites." + name, counts.getOrDefault("sites." + name, 0L)));
        return reached;
    }
}
