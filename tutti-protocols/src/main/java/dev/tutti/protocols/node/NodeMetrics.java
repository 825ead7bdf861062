package dev.tutti.protocols.node;

import static dev.tutti.core.metrics.Metric.part;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import dev.tutti.core.stack.StackMetrics;
import java.util.List;
import java.util.stream.Stream;

/**
 * Metrics of a node, its links and the layers of its groups: every number that {@link NodeMachine#report} and the
 * report of a node on datagrams write. Parts have the names of the sections there. Metrics of each link are in part
 * {@code link}, those of each connection over datagrams in {@code path}, those of each member in {@code pair}.
 */
public final class NodeMetrics {

    private NodeMetrics() {}

    private static final List<Metric> LINKS = part(Place.NODE, "links")
            .gauge("handshakes", Unit.COUNT, "Connections that are being opened.")
            .counter("stray-frames", Unit.FRAMES, "Frames of connections that are over.")
            .counter("unknown-frames", Unit.FRAMES, "Frames of a type that is not known.")
            .list();

    private static final List<Metric> REFUSED = Stream.of("refused-here", "refused-there")
            .flatMap(side -> part(Place.NODE, "links." + side)
                    .counter("malformed", Unit.COUNT, refused(side, "its first frame could not be decoded"))
                    .counter("version", Unit.COUNT, refused(side, "there is no version in common"))
                    .counter("cluster", Unit.COUNT, refused(side, "it is of another cluster"))
                    .counter("self", Unit.COUNT, refused(side, "a node had dialled itself"))
                    .counter("incarnation", Unit.COUNT, refused(side, "another node has the same incarnation"))
                    .counter("older", Unit.COUNT, refused(side, "a newer run at the same address is connected"))
                    .counter("known", Unit.COUNT, refused(side, "the two have met already"))
                    .counter("suspected", Unit.COUNT, refused(side, "enough others do not hear the node"))
                    .counter("overload", Unit.COUNT, refused(side, "it was late, or one of too many"))
                    .list()
                    .stream())
            .toList();

    private static String refused(String side, String reason) {
        return "Connections refused " + (side.endsWith("here") ? "by this node" : "by the other node") + ", because "
                + reason + ".";
    }

    private static final List<Metric> LINK = part(Place.LINK, "link")
            .gauge("incarnation", Unit.COUNT, "Tells one run of the peer from another.")
            .gauge("connection", Unit.COUNT, "Number of the connection that carries the session; -1 while there is none.")
            .gauge("epoch", Unit.COUNT, "Sessions that there were with this run of the peer.")
            .gauge("version", Unit.COUNT, "Version of the protocol that the session uses; 0 before the first session.")
            .gauge("silent-millis", Unit.MILLISECONDS, "Time since anything has come from the peer.")
            .counter("sent-frames", Unit.FRAMES, "Frames sent to the peer.")
            .counter("sent-bytes", Unit.BYTES, "Bytes of frames sent to the peer.")
            .counter("received-frames", Unit.FRAMES, "Frames received from the peer.")
            .counter("received-bytes", Unit.BYTES, "Bytes of frames received from the peer.")
            .gauge("retained-frames", Unit.FRAMES, "Frames that are kept until the peer has confirmed them.")
            .gauge("retained-bytes", Unit.BYTES, "Memory of frames that are kept until the peer has confirmed them.")
            .counter("resent-frames", Unit.FRAMES, "Frames sent again over a new connection.")
            .counter("resumes", Unit.COUNT, "Broken connections that were replaced by a new one.")
            .list();

    private static final List<Metric> MULTICAST = part(Place.NODE, "multicast")
            .counter("sent-frames", Unit.FRAMES, "Frames sent to all nodes at once.")
            .counter("beacons", Unit.FRAMES, "Frames that only tell nodes that they are reached.")
            .counter("received-frames", Unit.FRAMES, "Frames received that were sent to all nodes at once.")
            .counter("foreign", Unit.FRAMES, "Frames of other clusters.")
            .counter("stray", Unit.FRAMES, "Frames of nodes without a session.")
            .counter("malformed", Unit.FRAMES, "Frames that could not be decoded.")
            .counter("key-changes", Unit.COUNT, "Changes of the key of this node's multicasts, after the end of a session.")
            .counter("unknown-key", Unit.FRAMES, "Frames dropped because their key was not known, or too old.")
            .counter("replayed", Unit.FRAMES, "Frames dropped because they had arrived before.")
            .counter("forged", Unit.FRAMES, "Frames dropped because they were not what their sender had encrypted.")
            .list();

    private static final List<Metric> DETECTION = part(Place.NODE, "detection")
            .gauge("heartbeat-nanos", Unit.NANOSECONDS, "Idle time after which a heartbeat is sent.")
            .gauge("timeout-nanos", Unit.NANOSECONDS, "Silence after which a node is reported.")
            .gauge("stretch", Unit.COUNT, "Time-outs of silence before this node judges another: more than one if its own loop was late.")
            .counter("late-turns", Unit.COUNT, "Times that this node's loop was late.")
            .counter("verdicts", Unit.COUNT, "Nodes that were given up because enough watchers did not hear them.")
            .list();

    private static final List<Metric> DISCOVERY = part(Place.NODE, "discovery")
            .gauge("dials", Unit.COUNT, "Connections that are being tried.")
            .counter("dialed", Unit.COUNT, "Addresses dialled to find nodes, repetitions included.")
            .counter("ignored-addresses", Unit.COUNT, "Addresses that were not kept, because there are too many.")
            .counter("forgotten-addresses", Unit.COUNT, "Addresses forgotten: their node has left, or was lost for too long.")
            .gauge("seeds", Unit.COUNT, "Seeds other than this node.")
            .gauge("seeds-met", Unit.COUNT, "Seeds with whose node there is a session.")
            .gauge("seeds-refusing", Unit.COUNT, "Seeds without a session whose host refused the last connection: nobody listens there.")
            .list();

    private static final List<Metric> GROUPS = part(Place.NODE, "groups")
            .gauge("joined", Unit.COUNT, "Groups that the node is in.")
            .counter("malformed", Unit.FRAMES, "Announcements of groups that could not be decoded.")
            .counter("stack-mismatches", Unit.COUNT, "Groups of others that are set up differently.")
            .counter("dropped-not-joined", Unit.PACKETS, "Packets of groups that are not joined here.")
            .list();

    private static final List<Metric> GROUP = part(Place.GROUP, "group")
            .gauge("join", Unit.COUNT, "Which of the node's memberships this is.")
            .gauge("members", Unit.MEMBERS, "Members of the view.")
            .counter("sent-packets", Unit.PACKETS, "Packets sent to other nodes, one for each of them.")
            .counter("received-packets", Unit.PACKETS, "Packets received from other nodes.")
            .counter("dropped-no-session", Unit.PACKETS, "Packets to members that are gone.")
            .list();

    private static final List<Metric> MEMBERSHIP = part(Place.GROUP, "membership")
            .gauge("sessions", Unit.MEMBERS, "Members of the group that there is a session with, in the view or not.")
            .counter("views-installed", Unit.COUNT, "Views that were installed.")
            .gauge("version", Unit.COUNT, "Version of the packets in the view: the highest that all its members speak.")
            .counter("ballots-started", Unit.COUNT, "Ballots for a new view that this member has started.")
            .counter("ballots-refused", Unit.COUNT, "Ballots that were refused.")
            .counter("stragglers-completed", Unit.COUNT, "Members that were brought to a view that they had missed.")
            .counter("adverts-sent", Unit.FRAMES, "Messages about whom this member hears and follows.")
            .counter("members-left-out", Unit.COUNT, "Times that a member was left out for a while, because it had kept ballots waiting.")
            .counter("coordinators-passed-over", Unit.COUNT, "Times that a coordinator was passed over for a while, because it produced no view.")
            .list();

    private static final List<Metric> RELIABILITY = part(Place.GROUP, "reliability")
            .counter("sent-packets", Unit.PACKETS, "Packets sent to all members.")
            .counter("sent-bytes", Unit.BYTES, "Bytes sent to all members, as they count against the window.")
            .counter("received-packets", Unit.PACKETS, "Packets received in order.")
            .counter("acks-sent", Unit.FRAMES, "Acknowledgements sent.")
            .counter("repairs-sent", Unit.PACKETS, "Packets sent again to a member that lacked them.")
            .counter("repairs-received", Unit.PACKETS, "Packets received that were sent again.")
            .counter("nacks-sent", Unit.FRAMES, "Requests for packets of multicast that were lost.")
            .counter("repeats-sent", Unit.PACKETS, "Packets of multicast sent again on request.")
            .counter("overtaken-packets", Unit.PACKETS, "Packets of multicast that came before earlier ones.")
            .counter("ring-changes", Unit.COUNT, "Changes of this sender between the ring and sending to all at once.")
            .counter("ring-passed-on", Unit.PACKETS, "Packets of others that were passed on to the next member.")
            .gauge("ring-late-members", Unit.MEMBERS, "Members that this sender goes round at present, because they are late.")
            .counter("ring-skips", Unit.COUNT, "Times that this sender has begun to bypass a late member.")
            .counter("ring-repeats", Unit.PACKETS, "Packets sent again to those behind a late member.")
            .counter("ring-overtakers", Unit.PACKETS, "Packets that came before earlier ones, which went another way.")
            .gauge("unstable-packets", Unit.PACKETS, "Own packets that not everybody is known to have.")
            .gauge("unstable-bytes", Unit.BYTES, "Memory of own packets that not everybody is known to have.")
            .gauge("held-packets", Unit.PACKETS, "Packets of a coming view.")
            .gauge("window-bytes", Unit.BYTES, "Bytes that may be in flight from this member to a receiver.")
            .gauge("window-open-bytes", Unit.BYTES, "Bytes that may be sent to all before a member has to consume; 0 is closed.")
            .list();

    private static final List<Metric> PAIR = part(Place.MEMBER, "pair")
            .counter("acknowledged", Unit.PACKETS, "Packets to all, in the present view, that the member has received.")
            .counter("received", Unit.PACKETS, "Packets to all, in the present view, received from the member.")
            .gauge("backlog-bytes", Unit.BYTES, "Bytes from the member that the application here has not consumed.")
            .gauge("copies", Unit.PACKETS, "Packets of the member that are kept until all are known to have them.")
            .gauge("copies-bytes", Unit.BYTES, "Memory of packets of the member that are kept.")
            .list();

    private static final List<Metric> BEST_EFFORT = part(Place.GROUP, "best-effort")
            .gauge("window-bytes", Unit.BYTES, "Bytes from each member that may wait here for the application.")
            .list();

    private static final List<Metric> ORDER = part(Place.GROUP, "order")
            .counter("control-sent", Unit.PACKETS, "Messages about the order.")
            .gauge("waiting-packets", Unit.PACKETS, "Packets whose turn has not come.")
            .counter("placed", Unit.PACKETS, "Places in the order that are known, in the present view.")
            .counter("delivered", Unit.PACKETS, "Places in the order that were delivered, in the present view.")
            .list();

    private static final List<Metric> PACKING = part(Place.GROUP, "packing")
            .counter("sent-packets", Unit.PACKETS, "Packets made from messages.")
            .counter("sent-bytes", Unit.BYTES, "Bytes of messages in packets.")
            .counter("window-closed", Unit.COUNT, "Times that messages had to wait for the window.")
            .gauge("frozen", Unit.COUNT, "1 while the view changes, else 0.")
            .gauge("message-bytes-max", Unit.BYTES, "Longest message that all members of the view take.")
            .counter("turns", Unit.COUNT, "Turns of this member to send a message larger than its share of the members' memory.")
            .list();

    private static final List<Metric> DATAGRAMS = part(Place.NODE, "datagrams")
            .counter("received-datagrams", Unit.DATAGRAMS, "Datagrams received.")
            .counter("received-multicasts", Unit.DATAGRAMS, "Datagrams received that were sent to all nodes at once.")
            .counter("sent-multicasts", Unit.DATAGRAMS, "Datagrams sent to all nodes at once.")
            .counter("strangers", Unit.COUNT, "Senders of multicasts without a session whose addresses were dialled.")
            .gauge("connections", Unit.COUNT, "Connections over datagrams.")
            .gauge("active-senders", Unit.COUNT, "Connections that have something to send.")
            .counter("damaged", Unit.DATAGRAMS, "Datagrams dropped because their checksum was wrong.")
            .counter("other-checksums", Unit.DATAGRAMS, "Datagrams dropped because one side has checksums and the other has not.")
            .counter("other-security", Unit.DATAGRAMS, "Datagrams dropped because one side encrypts and the other does not.")
            .counter("forged", Unit.DATAGRAMS, "Datagrams dropped because they were not what the other end had encrypted.")
            .counter("malformed", Unit.DATAGRAMS, "Datagrams dropped because they could not be decoded.")
            .counter("unknown-connection", Unit.DATAGRAMS, "Datagrams dropped because their connection is not known.")
            .counter("wrong-endpoint", Unit.DATAGRAMS, "Datagrams dropped because they came from elsewhere than their connection.")
            .counter("bad-cookies", Unit.DATAGRAMS, "Openings refused because their cookie was wrong or old.")
            .counter("cookies-sent", Unit.DATAGRAMS, "Openings answered with a cookie first.")
            .counter("resets-sent", Unit.DATAGRAMS, "Answers that a connection is not known.")
            .counter("resets-held-back", Unit.DATAGRAMS, "Such answers that were not sent, because there were too many.")
            .counter("resets-received", Unit.DATAGRAMS, "Connections that the other end did not know any more.")
            .counter("answers-dropped", Unit.DATAGRAMS, "Answers to strangers that were not sent, because there were too many.")
            .counter("overload", Unit.COUNT, "Connections refused because there were too many.")
            .gauge("watched", Unit.COUNT, "Endpoints whose processes the driver is asked to watch.")
            .counter("watch-reports", Unit.COUNT, "Reports of the driver that the process at an endpoint is gone.")
            .counter("watch-refusals", Unit.COUNT, "Dials that failed as refused, because nothing answered after such a report.")
            .list();

    private static final List<Metric> PATH = part(Place.LINK, "path")
            .gauge("datagram-bytes", Unit.BYTES, "Largest datagram of the path.")
            .counter("sent-datagrams", Unit.DATAGRAMS, "Datagrams sent.")
            .counter("sent-bytes", Unit.BYTES, "Bytes of datagrams sent.")
            .counter("sent-stream-bytes", Unit.BYTES, "Bytes of frames sent, without heads and repetition.")
            .counter("resent-bytes", Unit.BYTES, "Bytes of frames sent again.")
            .counter("lost-datagrams", Unit.DATAGRAMS, "Datagrams taken for lost.")
            .counter("lost-bytes", Unit.BYTES, "Bytes of datagrams taken for lost.")
            .counter("late-datagrams", Unit.DATAGRAMS, "Datagrams taken for lost that had arrived.")
            .counter("probes", Unit.COUNT, "Probes sent to the peer because nothing was confirmed.")
            .counter("received-datagrams", Unit.DATAGRAMS, "Datagrams received.")
            .counter("received-bytes", Unit.BYTES, "Bytes of datagrams received.")
            .counter("duplicates", Unit.DATAGRAMS, "Datagrams that had been received before.")
            .counter("beyond-window", Unit.DATAGRAMS, "Datagrams dropped because there was no room for what they carried.")
            .counter("malformed", Unit.DATAGRAMS, "Datagrams that could not be decoded.")
            .gauge("round-trip-micros", Unit.MICROSECONDS, "Smoothed time from sending to its confirmation.")
            .gauge("bandwidth-bytes-per-second", Unit.BYTES_PER_SECOND, "Estimated bandwidth of the path.")
            .gauge("loss-percent", Unit.PERCENT, "Estimated loss on the path.")
            .gauge("window-bytes", Unit.BYTES, "Bytes that may be in flight.")
            .gauge("in-flight-bytes", Unit.BYTES, "Bytes in flight.")
            .gauge("kept-bytes", Unit.BYTES, "Bytes kept until they are confirmed.")
            .list();

    /** All metrics, including the dropped packets of stacks. */
    public static final List<Metric> ALL = Stream.of(
                    LINKS, REFUSED, LINK, PATH, MULTICAST, DATAGRAMS, DETECTION, DISCOVERY, GROUPS, GROUP, MEMBERSHIP,
                    RELIABILITY, BEST_EFFORT, PAIR, ORDER, PACKING, StackMetrics.ALL)
            .flatMap(List::stream)
            .toList();
}
