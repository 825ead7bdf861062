package dev.tutti.grid.internal.links;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.LinkPart;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.grid.Body;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Topic;
import dev.tutti.sites.Sites;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A producer of measurements of the links of a node: to the members of the grid at its site, from its bridge node to masters of other
 * sites, and of the grid's streams to other sites. It measures nothing itself, but reads the inspections of the nodes.
 *
 * <p>A query finds links that are open now: when one has gone, another producer is registered, since the present one keeps the last
 * numbers of that link as long as it is there.
 */
public final class LinkReport {

    /** Most links that are published. Links to members of the own site are left out first. */
    private static final int LINKS_MAX = 200;

    private static final long PAUSE_NANOS = 10_000_000_000L;
    private static final String TOPIC = "tutti/links/";

    private record Found(Map<String, String> tags, Map<String, Body> numbers) {}

    private final Grid grid;
    private final Node node;
    private final @Nullable Sites sites;
    private final String group;
    private final int linksMax;
    private final String prefix;
    private final AtomicLong omitted = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean isClosed;

    // Of one round at a time.
    private @Nullable Producer producer;
    private Map<String, LinkReading> readings = Map.of();
    private Map<String, Long> acknowledged = Map.of();
    private Set<String> peers = Set.of();

    /**
     * Makes a report, which publishes nothing before it is started.
     *
     * @param sites the sites; null if there is one
     * @param group name of the group of the grid's members at the site
     */
    public LinkReport(Grid grid, Node node, @Nullable Sites sites, String group) {
        this(grid, node, sites, group, LINKS_MAX);
    }

    LinkReport(Grid grid, Node node, @Nullable Sites sites, String group, int linksMax) {
        this.linksMax = linksMax;
        this.grid = grid;
        this.node = node;
        this.sites = sites;
        this.group = group;
        this.prefix = TOPIC + LinkLevel.of(sites == null ? "" : sites.site()) + '/' + LinkLevel.of(node.name()) + '/';
    }

    /** Registers the producer, and publishes every ten seconds from then on. The grid is joined by then. */
    public void start() {
        producer = produce();
        waitForNext();
    }

    private Producer produce() {
        return grid.produce(ProducerOptions.of("links", prefix + '#').type("links"));
    }

    private void waitForNext() {
        node.threads().startAfter(PAUSE_NANOS, "tutti-grid-links", () -> {
            if (!isClosed) {
                publish();
                waitForNext();
            }
        });
    }

    private void publish() {
        try {
            Map<String, Found> found = find();
            Producer publisher = publisher(found.keySet());
            peers = new TreeSet<>(found.keySet());
            found.forEach((peer, link) -> link.numbers.forEach(
                    (name, body) -> publisher.publish(Topic.of(prefix + peer + '/' + name), link.tags, body)));
        } catch (IllegalStateException e) {
            // The node does not answer, or the grid is closed or left meanwhile: the next round may find it otherwise.
            failures.incrementAndGet();
        }
    }

    /** Returns the producer, or a new one if a link has gone. */
    private Producer publisher(Set<String> present) {
        Producer open = producer;
        if (open != null && present.containsAll(peers)) {
            return open;
        }
        if (open != null) {
            open.close();
            producer = null;
        }
        Producer anew = produce();
        producer = anew;
        return anew;
    }

    /** Returns the links by the level of the peer, those to other sites first. */
    private Map<String, Found> find() {
        Map<String, LinkReading> next = new TreeMap<>();
        Map<String, Long> nextAcknowledged = new TreeMap<>();
        Map<String, Found> found = new LinkedHashMap<>();
        NodeInspection own = node.inspection();
        for (ComponentPart each : own.components()) {
            addStream(found, nextAcknowledged, each);
        }
        Sites connected = sites;
        NodeInspection bridge = connected == null ? null : connected.bridgeInspection().orElse(null);
        if (connected != null && bridge != null) {
            Map<NodeId, String> others = new TreeMap<>(connected.bridgeNodes());
            others.values().removeIf(grid.site()::equals);
            addLinks(found, next, bridge, others);
        }
        addLinks(found, next, own, own.group(group)
                .map(NodeInspection.GroupPart::view)
                .map(view -> view.members().stream().collect(Collectors.toMap(Member::node, _ -> grid.site())))
                .orElse(Map.of()));
        readings = next;
        acknowledged = nextAcknowledged;
        return found;
    }

    private void addLinks(Map<String, Found> found, Map<String, LinkReading> next, NodeInspection inspection, Map<NodeId, String> siteOf) {
        // By name, so that the same ones are left out in each round.
        List<LinkPart> links = inspection.openLinks().stream().sorted(Comparator.comparing(inspection::label)).toList();
        for (LinkPart link : links) {
            String site = siteOf.get(link.peer());
            if (site == null || !link.state().equals("open")) {
                continue;
            }
            boolean isHere = site.equals(grid.site());
            String peer = (isHere ? "" : LinkLevel.of(site) + ':') + LinkLevel.of(inspection.label(link));
            if (admits(found)) {
                LinkReading reading = new LinkReading(inspection.nanoTime(), link);
                next.put(peer, reading);
                found.put(peer, new Found(tags(site, link.peer().name()), reading.numbers(readings.get(peer))));
            }
        }
    }

    /** Adds what Sites measures of the grid's stream to another site, which the sending master has. */
    private void addStream(Map<String, Found> found, Map<String, Long> next, ComponentPart component) {
        Map<String, Long> values = component.part().values();
        if (!component.part().name().equals("site-link")
                || !(group + ".sites").equals(component.labels().get("group"))
                || values.getOrDefault("open", 0L) != 1) {
            return;
        }
        String site = component.labels().getOrDefault("site", "");
        String peer = LinkLevel.of(site) + ':';
        if (!admits(found)) {
            return;
        }
        TreeMap<String, Body> numbers = new TreeMap<>();
        numbers.put("lag", Body.of(values.getOrDefault("lag-millis", 0L), "ms"));
        numbers.put("lag-bytes", Body.of(values.getOrDefault("lag-bytes", 0L), "By"));
        Long micros = values.get("acknowledged-micros");
        if (micros != null) {
            next.put(peer, micros);
            // The last one stays there while nothing is sent: the same number again is no news.
            if (!micros.equals(acknowledged.get(peer))) {
                numbers.put("acknowledged", Body.of(micros, "us"));
            }
        }
        found.put(peer, new Found(tags(site, ""), numbers));
    }

    /** Returns whether one more link is possible, and counts it as omitted if it is not. */
    private boolean admits(Map<String, Found> found) {
        boolean hasRoom = found.size() < linksMax;
        if (!hasRoom) {
            omitted.incrementAndGet();
        }
        return hasRoom;
    }

    private Map<String, String> tags(String peerSite, String peer) {
        TreeMap<String, String> tags = new TreeMap<>(Map.of("site", grid.site(), "node", node.name(), "peer-site", peerSite, "peer", peer));
        tags.values().removeIf(String::isEmpty);
        return tags;
    }

    /** Returns numbers for the status of the grid. */
    public Map<String, Long> status() {
        return Map.of("links-omitted", omitted.get(), "links-failures", failures.get());
    }

    /** Ends. The grid closes the producer. */
    public void close() {
        isClosed = true;
    }
}
