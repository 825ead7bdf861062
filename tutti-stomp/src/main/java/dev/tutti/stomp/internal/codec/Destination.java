package dev.tutti.stomp.internal.codec;

import java.util.List;

/**
 * A path whose first segment names a group. In subscriptions {@code *} stands for one segment and {@code **}, at the end,
 * for any that follow.
 *
 * @param text as the client wrote it
 * @param segments between the slashes
 */
public record Destination(String text, List<String> segments) {

    /** Destination by which a client subscribes to the other members' endpoints. */
    public static final String INFO = "info";

    public static final String ONE = "*";
    public static final String REST = "**";
    private static final int SEGMENTS_MAX = 32;

    /** Parses a destination to send to. */
    public static Destination exact(String text) throws FrameException {
        Destination destination = parse(text);
        for (String segment : destination.segments) {
            if (segment.equals(ONE) || segment.equals(REST)) {
                throw new FrameException(
                        StompFault.NO_DESTINATION, "a message is sent to one destination, without wildcards: '" + text + "'");
            }
        }
        return destination;
    }

    /** Parses a destination to subscribe to. */
    public static Destination pattern(String text) throws FrameException {
        Destination destination = parse(text);
        int rest = destination.segments.indexOf(REST);
        if (rest >= 0 && rest < destination.segments.size() - 1) {
            throw new FrameException(StompFault.NO_DESTINATION, "** is the last segment of a destination: '" + text + "'");
        }
        return destination;
    }

    private static Destination parse(String text) throws FrameException {
        if (!text.startsWith("/")) {
            throw new FrameException(
                    StompFault.NO_DESTINATION, "a destination begins with a slash and its group, such as /topic/news; not '" + text + "'");
        }
        if (text.chars().filter(each -> each == '/').count() > SEGMENTS_MAX) {
            throw new FrameException(StompFault.NO_DESTINATION, "a destination has at most " + SEGMENTS_MAX + " segments");
        }
        List<String> segments = List.of(text.substring(1).split("/", -1));
        for (String segment : segments) {
            if (segment.isEmpty()) {
                throw new FrameException(StompFault.NO_DESTINATION, "a segment of the destination is empty: '" + text + "'");
            }
        }
        return new Destination(text, segments);
    }

    public String group() {
        return segments.getFirst();
    }

    public boolean isInfo() {
        return segments.size() == 1 && group().equals(INFO);
    }

    /** Returns whether messages of a group may match it. */
    public boolean mayMatchGroup(String name) {
        return group().equals(name) || group().equals(ONE) || group().equals(REST);
    }

    /** Returns whether it matches {@code other}, which has no wildcards. */
    public boolean matches(Destination other) {
        for (int index = 0; index < segments.size(); index++) {
            String segment = segments.get(index);
            if (segment.equals(REST)) {
                return true;
            }
            if (index >= other.segments.size()
                    || !segment.equals(ONE) && !segment.equals(other.segments.get(index))) {
                return false;
            }
        }
        return segments.size() == other.segments.size();
    }
}
