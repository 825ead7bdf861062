package dev.tutti.sites;

import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.sites.internal.relay.Lag;
import dev.tutti.sites.internal.relay.OutgoingStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Parts of a node's inspection about its sites, and events about them; {@link SitesMetrics} defines the numbers. From any thread. */
final class SitesReport {

    static final String COMPONENT = "sites";

    private SitesReport() {}

    // ------------------------------------------------------------------ parts

    static List<ComponentPart> of(Sites sites) {
        List<ComponentPart> parts = new ArrayList<>();
        SitesView view = sites.view();
        Map<String, Long> counts = new TreeMap<>(sites.status());
        for (Site.State state : Site.State.values()) {
            counts.put("sites-" + text(state), view.sites().stream().filter(site -> site.state() == state).count());
        }
        add(parts, "sites", Map.of(), counts, Map.of("site", sites.site()));
        for (Site site : view.sites()) {
            Map<String, String> texts = Map.of("state", text(site.state()), "members", String.join(", ", site.members()));
            add(parts, "site", Map.of("site", site.name()), Map.of(), texts);
        }
        sites.groups().forEach(group -> add(parts, group, sites.node().threads().nanoTime()));
        return parts;
    }

    private static void add(List<ComponentPart> parts, SiteGroup group, long nowNanos) {
        SiteGroupBuilder settings = group.settings();
        Map<String, Long> counts = new TreeMap<>(group.status());
        counts.put("retained-bytes-max", settings.retainedBytesMax());
        add(parts, "site-group", Map.of("group", group.name()), counts, Map.of(
                "when-full", settings.whenFull().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                "kept-in", settings.directory() == null ? "memory" : "files"));
        group.locked(() -> {
            for (String site : group.retention().sites()) {
                add(parts, "site-link", Map.of("group", group.name(), "site", site), link(group, site, nowNanos), Map.of(
                        "receiver", receiver(group, site), "refusal", group.outgoing().refusal(site)));
            }
        });
    }

    private static Map<String, Long> link(SiteGroup group, String site, long nowNanos) {
        Map<String, Long> values = new TreeMap<>();
        Lag lag = group.retention().lag(site, nowNanos);
        values.put("lag-messages", lag.messages());
        values.put("lag-bytes", lag.bytes());
        values.put("lag-millis", lag.ageNanos() / 1_000_000);
        OutgoingStream stream = group.outgoing().stream(site);
        if (stream != null) {
            values.put("open", stream.isOpen() ? 1L : 0L);
            values.put("window-bytes", group.settings().windowBytes());
            values.put("in-flight-bytes", stream.inFlightBytes());
            if (stream.acknowledgedAfterNanos() >= 0) {
                values.put("acknowledged-micros", stream.acknowledgedAfterNanos() / 1_000);
            }
        }
        return values;
    }

    private static String receiver(SiteGroup group, String site) {
        OutgoingStream stream = group.outgoing().stream(site);
        return stream == null ? "" : stream.receiver().name();
    }

    private static void add(
            List<ComponentPart> parts, String name, Map<String, String> labels, Map<String, Long> values, Map<String, String> texts) {
        parts.add(new ComponentPart(labels, new Part(name, Map.of(), values, texts)));
    }

    private static String text(Site.State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    // ------------------------------------------------------------------ events

    /** Tells the changes of other sites between two lists. */
    static void tellChanges(Sites sites, SitesView before, SitesView after) {
        for (Site site : after.sites()) {
            Site.State earlier = before.site(site.name()).map(Site::state).orElse(null);
            if (site.state() == earlier || site.name().equals(sites.site())) {
                continue;
            }
            String what = site.state() == Site.State.UP && earlier != null ? "back" : text(site.state());
            String text = switch (site.state()) {
                case UP -> "site " + site.name() + " is " + what + ", with " + String.join(", ", site.members());
                case SUSPECTED -> "site " + site.name() + " is suspected: its last master has gone, and another may take over";
                case AWAY -> "site " + site.name() + " is away: it has had no master for a while";
            };
            sites.node().components().tell(COMPONENT, site.name(), what, "", text);
        }
    }

    static void tellGap(SiteGroup group, String site, String sender, long count) {
        tell(group, site, "gap", count + " messages of " + sender + " at site " + site + " are lost to this site");
    }

    static void tellState(SiteGroup group, String source, String what, String text) {
        tell(group, source, what, text);
    }

    /** Looks once in a while at the messages that a group keeps, and tells if some were dropped. */
    static void look(SiteGroup group) {
        group.locked(() -> {
            try {
                group.retention().look(group.sites().node().threads().nanoTime());
            } catch (UncheckedIOException e) {
                group.onFailed(e);
            }
            group.gate().onRoom();
            long dropped = group.retention().takeDropped();
            if (dropped > 0) {
                tell(group, "", "dropped", dropped + " messages that another site lacks were dropped, the oldest: more are not kept");
            }
        });
    }

    private static void tell(SiteGroup group, String about, String what, String text) {
        group.sites().node().components().tell(COMPONENT, about, what, group.name(), text);
    }
}
