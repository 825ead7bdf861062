package dev.tutti.core.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * One number that can be read: where it belongs, its name, kind, unit and meaning. Command line, console, JMX, Micrometer
 * and the documentation all read this one definition.
 *
 * @param place what there is one number of
 * @param part of a node, a link or a group: the layer, the detector, the driver
 * @param name in lower case with hyphens and dots, the unit last
 */
public record Metric(Place place, String part, String name, Kind kind, Unit unit, String description) {

    /** What there is one number of. */
    public enum Place {
        /** A node. */
        NODE(List.of()),
        /** A session with another node. */
        LINK(List.of("peer")),
        /** A group that the node is in. */
        GROUP(List.of("group")),
        /** Another member of a group, as this one sees it. */
        MEMBER(List.of("group", "member"));

        private final List<String> labels;

        Place(List<String> labels) {
            this.labels = labels;
        }

        /** What tells the numbers of one node apart. */
        public List<String> labels() {
            return labels;
        }
    }

    /** How a number moves. */
    public enum Kind {
        /** It only grows, from 0, for as long as what it belongs to is there. */
        COUNTER,
        /** It goes up and down. */
        GAUGE
    }

    /** What a number is of. */
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
        /** Of whatever the name says. */
        COUNT("");

        private final String text;

        Unit(String text) {
            this.text = text;
        }

        /** For people; empty if there is no unit. */
        public String text() {
            return text;
        }
    }

    /** Part and name: {@code reliability.sent-packets}. Unique among the metrics of a node. */
    public String id() {
        return part + "." + name;
    }

    /** Definitions of one part, one after the other. */
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

        /** A number that only grows. */
        public Part counter(String name, Unit unit, String description) {
            metrics.add(new Metric(place, part, name, Kind.COUNTER, unit, description));
            return this;
        }

        /** A number that goes up and down. */
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
