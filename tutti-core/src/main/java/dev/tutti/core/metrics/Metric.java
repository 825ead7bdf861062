package dev.tutti.core.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Definition of a number that can be read: its place, name, kind, unit and meaning. Command line, console, JMX,
 * Micrometer and the documentation all use it.
 *
 * @param place kind of thing that has one such number each
 * @param part of a node, a link or a group: the layer, the detector, the driver
 * @param name in lower case with hyphens and dots, the unit last
 */
public record Metric(Place place, String part, String name, Kind kind, Unit unit, String description) {

    /** Kind of thing that has one number each. */
    public enum Place {
        /** A node. */
        NODE(List.of()),
        /** A session with another node. */
        LINK(List.of("peer")),
        /** A group that the node is in. */
        GROUP(List.of("group")),
        /** Another member of a group, as this one sees it. */
        MEMBER(List.of("group", "member")),
        /** Another site, as a group that spans sites sees it. */
        SITE(List.of("group", "site"));

        private final List<String> labels;

        Place(List<String> labels) {
            this.labels = labels;
        }

        /** Returns the labels that distinguish the numbers of one node. */
        public List<String> labels() {
            return labels;
        }
    }

    /** Kind of change of a number. */
    public enum Kind {
        /** It only grows, from 0, for as long as the thing it belongs to exists. */
        COUNTER,
        /** It goes up and down. */
        GAUGE
    }

    /** Unit of a number. */
    public enum Unit {
        BYTES("bytes"),
        BYTES_PER_SECOND("bytes per second"),
        NANOSECONDS("ns"),
        MICROSECONDS("us"),
        MILLISECONDS("ms"),
        PERCENT("%"),
        FRAMES("frames"),
        PACKETS("packets"),
        DATAGRAMS("datagrams"),
        MESSAGES("messages"),
        MEMBERS("members"),
        /** Count of the things that the name states. */
        COUNT("");

        private final String text;

        Unit(String text) {
            this.text = text;
        }

        /** Returns the unit for people; empty if there is none. */
        public String text() {
            return text;
        }
    }

    /** Returns part and name, as in {@code reliability.sent-packets}. Unique among the metrics of a node. */
    public String id() {
        return part + "." + name;
    }

    /** Begins the definitions of a part. */
    public static Part part(Place place, String part) {
        return new Part(place, part);
    }

    /** Collects the definitions of a part; not thread-safe. */
    public static final class Part {

        private final Place place;
        private final String part;
        private final List<Metric> metrics = new ArrayList<>();

        private Part(Place place, String part) {
            this.place = place;
            this.part = part;
        }

        /** Adds a number that only grows. */
        public Part counter(String name, Unit unit, String description) {
            metrics.add(new Metric(place, part, name, Kind.COUNTER, unit, description));
            return this;
        }

        /** Adds a number that goes up and down. */
        public Part gauge(String name, Unit unit, String description) {
            metrics.add(new Metric(place, part, name, Kind.GAUGE, unit, description));
            return this;
        }

        public List<Metric> list() {
            return List.copyOf(metrics);
        }
    }

    @Override
    public String toString() {
        return id();
    }
}
