package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.metrics.Metric;
import dev.tutti.internal.Json;
import dev.tutti.internal.inspection.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Complete state of a node at one time: {@link Node#inspection}. Immutable.
 *
 * <p>Protocol state is of one turn of the loop; counters of other threads were read right after it. Counters only grow;
 * rates are differences of two inspections divided by that of their {@code nanoTime}.
 *
 * @param time time by this process's clock
 * @param nanoTime time of the monotonic clock, from an arbitrary origin
 * @param id the node
 * @param cluster name of its cluster
 * @param state {@code running} or {@code stopped}
 * @param version version of tutti; empty if it is not packaged
 * @param processId process number of the operating system
 * @param uptime time since the node was started
 * @param transport choices of the driver, by name
 * @param settings settings in force, by name, without secret ones
 * @param parts parts of the node: {@code detection}, {@code discovery}, {@code driver}, {@code process}, and more
 * @param components parts that components on top of the node have added; see {@link Components}
 * @param groups joined groups, by name
 * @param links sessions with other nodes, by name
 * @param threads platform threads, of this node and others of the process
 * @param lastEvent number of the last event; see {@link Node#events}
 * @param problems problems that last, the oldest first
 */
public record NodeInspection(
        Instant time,
        long nanoTime,
        NodeId id,
        String cluster,
        String state,
        String version,
        long processId,
        Duration uptime,
        Map<String, String> transport,
        Map<String, String> settings,
        List<Part> parts,
        List<ComponentPart> components,
        List<GroupPart> groups,
        List<LinkPart> links,
        List<ThreadPart> threads,
        long lastEvent,
        List<Problem> problems) {

    /**
     * A layer, the failure detector, the driver, or another component with counters.
     *
     * @param name name of the {@link Metric#part part}
     * @param settings its settings, by name; empty if it uses those of the node or group
     * @param values values by name, as defined by {@link Node#metrics}; layers of users may have others
     * @param texts texts by name
     */
    public record Part(String name, Map<String, String> settings, Map<String, Long> values, Map<String, String> texts) {

        /** Returns a value; 0 if there is none. */
        public long value(String name) {
            return values.getOrDefault(name, 0L);
        }

        /** Returns a text; empty if there is none. */
        public String text(String name) {
            return texts.getOrDefault(name, "");
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.putAll(texts);
            document.putAll(values);
            return document;
        }
    }

    /**
     * A part of a component on top of the node.
     *
     * @param labels values by label, which distinguish it from others of its name; those of a part with metrics are the {@link
     *     Metric.Place#labels} of these
     */
    public record ComponentPart(Map<String, String> labels, Part part) {

        public ComponentPart {
            labels = Map.copyOf(labels);
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("part", part.name());
            document.put("labels", new TreeMap<>(labels));
            document.put("values", part.document());
            return document;
        }
    }

    /**
     * A group that is joined, or being joined.
     *
     * @param name name of the group
     * @param self this member; null before it has begun to join
     * @param view last installed view; null before the first
     * @param isJoined whether everybody was asked and, in groups with a state, the state is complete
     * @param order order of messages: {@code fifo}, {@code total by sequencer, agreed}, …
     * @param waitsFor cause that a send would wait for now, as a text for people; empty if it would proceed
     * @param windowClosedBy name of the member that keeps the window closed; empty if it is open
     * @param settings settings in force, by name
     * @param parts parts of the group that are no layers: {@code group}, {@code delivery}, {@code submission}, {@code
     *     state}, {@code dropped}
     * @param layers layers from the bottom to the top
     * @param members members of the view but this one, with the part {@code pair}
     */
    public record GroupPart(
            String name,
            @Nullable Member self,
            @Nullable View view,
            boolean isJoined,
            String order,
            String waitsFor,
            String windowClosedBy,
            Map<String, String> settings,
            List<Part> parts,
            List<Part> layers,
            List<MemberPart> members) {

        /** Returns a part or a layer; empty if there is none of that name. */
        public Part part(String part) {
            return find(parts, part).orElseGet(() -> find(layers, part).orElseGet(() -> nothing(part)));
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", name);
            Member member = self;
            document.put("self", member == null ? null : NodeInspection.document(member));
            View installed = view;
            document.put("view", installed == null ? null : NodeInspection.document(installed));
            document.put("joined", isJoined);
            document.put("order", order);
            document.put("waitsFor", waitsFor);
            document.put("windowClosedBy", windowClosedBy);
            document.put("settings", settings);
            document.put("parts", NodeInspection.document(parts));
            List<Object> stack = new ArrayList<>();
            for (Part layer : layers) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("name", layer.name());
                one.put("settings", layer.settings());
                one.put("values", layer.document());
                stack.add(one);
            }
            document.put("layers", stack);
            document.put("members", members.stream().map(MemberPart::document).toList());
            return document;
        }
    }

    /** Another member of a group, as this one sees it. */
    public record MemberPart(String name, String address, Part pair) {

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", name);
            document.put("address", address);
            document.putAll(pair.document());
            return document;
        }
    }

    /**
     * A session with another node.
     *
     * @param peer the other node
     * @param state {@code open}, {@code resuming} without a connection, or {@code closed}
     * @param isSuspected whether this node suspects the peer
     * @param closes names of the groups whose window for this member is kept closed by the peer
     * @param local this end of the connection; empty if there is none, or the driver does not know
     * @param remote the other end
     * @param parts {@code link}, and {@code socket} or {@code path}
     */
    public record LinkPart(
            NodeId peer,
            String state,
            boolean isSuspected,
            List<String> closes,
            String local,
            String remote,
            List<Part> parts) {

        /** Returns a part; empty if there is none of that name. */
        public Part part(String part) {
            return find(parts, part).orElseGet(() -> nothing(part));
        }

        /** Returns the smoothed round trip in microseconds; -1 if it is not measured. */
        public long roundTripMicros() {
            for (Part part : parts) {
                Long micros = part.values().get("round-trip-micros");
                if (micros != null) {
                    return micros;
                }
            }
            return -1;
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("peer", peer.name());
            document.put("address", peer.address());
            document.put("incarnation", peer.incarnation());
            document.put("state", state);
            document.put("suspected", isSuspected);
            document.put("closes", closes);
            document.put("local", local);
            document.put("remote", remote);
            document.put("roundTripMicros", roundTripMicros());
            document.put("parts", NodeInspection.document(parts));
            return document;
        }
    }

    /** A thread of the process. */
    public record ThreadPart(String name, String state, boolean isDaemon) {}

    /**
     * One number with the thing that it belongs to.
     *
     * @param labels {@link Metric.Place#labels} and their values
     */
    public record Sample(Metric metric, Map<String, String> labels, long value) {}

    public NodeInspection {
        transport = Map.copyOf(transport);
        parts = List.copyOf(parts);
        components = List.copyOf(components);
        groups = List.copyOf(groups);
        links = List.copyOf(links);
        threads = List.copyOf(threads);
    }

    /** Returns a part of the node; empty if there is none of that name. */
    public Part part(String part) {
        return find(parts, part).orElseGet(() -> nothing(part));
    }

    /** Returns the group of a name; empty if the node is not in it. */
    public Optional<GroupPart> group(String name) {
        return groups.stream().filter(group -> group.name().equals(name)).findFirst();
    }

    /** Returns the links without those that are over and only remembered. */
    public List<LinkPart> openLinks() {
        return links.stream().filter(link -> !link.state().equals("closed")).toList();
    }

    /**
     * Returns a label that distinguishes an open link: the peer's name, with its address if two peers have that name.
     */
    public String label(LinkPart link) {
        return label(link.peer().name(), link.peer().address(), count(openLinks(), other -> other.peer().name()));
    }

    private static String label(String name, String address, Map<String, Long> counts) {
        return counts.getOrDefault(name, 1L) == 1 ? name : name + " " + address;
    }

    private static <T> Map<String, Long> count(List<T> list, Function<T, String> name) {
        return list.stream().collect(Collectors.groupingBy(name, Collectors.counting()));
    }

    /** Returns whether the node can do its part. */
    public Health health() {
        return Health.of(this);
    }

    /** Returns every number that has a definition, in the order of the parts; no two with the same labels. */
    public List<Sample> samples() {
        List<Sample> samples = new ArrayList<>();
        Map<String, Metric> definitions = Metrics.byId();
        visit((part, labels) -> part.values().forEach((name, value) -> {
            Metric metric = definitions.get(part.name() + "." + name);
            if (metric != null) {
                samples.add(new Sample(metric, labels, value));
            }
        }));
        return samples;
    }

    private void visit(BiConsumer<Part, Map<String, String>> visitor) {
        parts.forEach(part -> visitor.accept(part, Map.of()));
        components.forEach(component -> visitor.accept(component.part(), component.labels()));
        List<LinkPart> open = openLinks();
        Map<String, Long> namesakes = count(open, link -> link.peer().name());
        for (LinkPart link : open) {
            Map<String, String> labels = Map.of("peer", label(link.peer().name(), link.peer().address(), namesakes));
            link.parts().forEach(part -> visitor.accept(part, labels));
        }
        for (GroupPart group : groups) {
            Map<String, String> labels = Map.of("group", group.name());
            group.parts().forEach(part -> visitor.accept(part, labels));
            group.layers().forEach(part -> visitor.accept(part, labels));
            Map<String, Long> sameMembers = count(group.members(), MemberPart::name);
            for (MemberPart member : group.members()) {
                String name = label(member.name(), member.address(), sameMembers);
                visitor.accept(member.pair(), Map.of("group", group.name(), "member", name));
            }
        }
    }

    /** Returns nested maps of texts, numbers, truth values, lists and maps, in the order to show them. */
    public Map<String, Object> document() {
        Map<String, Object> node = new LinkedHashMap<>();
        node.put("name", id.name());
        node.put("address", id.address());
        node.put("incarnation", id.incarnation());
        node.put("cluster", cluster);
        node.put("state", state);
        node.put("version", version);
        node.put("java", Runtime.version().toString());
        node.put("pid", processId);
        node.put("uptimeMillis", uptime.toMillis());
        node.put("transport", new TreeMap<>(transport));
        node.put("settings", settings);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("time", time.toString());
        document.put("epochMillis", time.toEpochMilli());
        document.put("nanoTime", nanoTime);
        document.put("node", node);
        document.put("health", Health.of(this).document());
        document.put("parts", document(parts));
        document.put("components", components.stream().map(ComponentPart::document).toList());
        document.put("groups", groups.stream().map(GroupPart::document).toList());
        document.put("links", links.stream().map(LinkPart::document).toList());
        document.put("threads", threads.stream().map(NodeInspection::document).toList());
        document.put("lastEvent", lastEvent);
        return document;
    }

    /** Returns the document as JSON. */
    public String json() {
        return Json.write(document());
    }

    private static Map<String, Object> document(ThreadPart thread) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", thread.name());
        document.put("state", thread.state());
        document.put("daemon", thread.isDaemon());
        return document;
    }

    private static Map<String, Object> document(Member member) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", member.name());
        document.put("address", member.node().address());
        document.put("incarnation", member.node().incarnation());
        document.put("join", (long) member.join());
        return document;
    }

    private static Map<String, Object> document(View view) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", view.id().toString());
        document.put("number", view.id().number());
        document.put("coordinator", view.coordinator().name());
        document.put("members", view.members().stream().map(NodeInspection::document).toList());
        return document;
    }

    private static Map<String, Object> document(List<Part> parts) {
        return parts.stream().collect(Collectors.toMap(Part::name, Part::document, (one, other) -> one, LinkedHashMap::new));
    }

    private static Optional<Part> find(List<Part> parts, String name) {
        return parts.stream().filter(part -> part.name().equals(name)).findFirst();
    }

    private static Part nothing(String name) {
        return new Part(name, Map.of(), Map.of(), Map.of());
    }
}
