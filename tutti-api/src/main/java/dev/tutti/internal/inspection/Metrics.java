package dev.tutti.internal.inspection;

import static dev.tutti.core.metrics.Metric.part;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import dev.tutti.core.metrics.MetricsProvider;
import dev.tutti.internal.settings.LayerProviders;
import dev.tutti.internal.settings.Transports;
import dev.tutti.protocols.node.NodeMetrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Counters and gauges of the API's side of a node, and the list of all metrics there are. */
public final class Metrics {

    private Metrics() {}

    private static final List<Metric> PROCESS = part(Place.NODE, "process")
            .gauge("uptime-millis", Unit.MILLISECONDS, "Time since the node was started.")
            .gauge("heap-used-bytes", Unit.BYTES, "Heap that is in use, garbage included.")
            .gauge("heap-committed-bytes", Unit.BYTES, "Heap that the process has from the system.")
            .gauge("heap-max-bytes", Unit.BYTES, "Heap that the process may have.")
            .counter("cpu-nanos", Unit.NANOSECONDS, "CPU that the process has used.")
            .gauge("threads", Unit.COUNT, "Platform threads of the process.")
            .list();

    private static final List<Metric> EVENTS = part(Place.NODE, "events")
            .counter("written", Unit.COUNT, "Events that there were.")
            .counter("listener-failures", Unit.COUNT, "Exceptions and errors that listeners of events have thrown, and"
                    + " events that were kept from them because one does not return.")
            .list();

    private static final List<Metric> SOURCES = part(Place.NODE, "sources")
            .gauge("sources", Unit.COUNT, "Sources of addresses: directories, databases, name services.")
            .gauge("sources-failing", Unit.COUNT, "Sources whose last call has failed.")
            .gauge("listed-addresses", Unit.COUNT, "Addresses in the last list of each source, this node's own included.")
            .counter("looks", Unit.COUNT, "Lists that were read.")
            .counter("failures", Unit.COUNT, "Calls of sources that have failed.")
            .counter("announcements", Unit.COUNT, "Times that an entry of this node was made.")
            .counter("removed-entries", Unit.COUNT, "Entries of other nodes that were removed, because nobody answered there.")
            .counter("malformed-entries", Unit.COUNT, "Entries and datagrams of sources that could not be read.")
            .counter("overflowing-entries", Unit.COUNT, "Entries and datagrams of sources beyond the number that is taken.")
            .gauge("hanging-calls", Unit.COUNT, "Calls of sources that were given up after ten seconds and have not returned.")
            .list();

    private static final List<Metric> ADMISSION = part(Place.NODE, "admission")
            .counter("admitted", Unit.COUNT, "Nodes that the rules have let in, once for each connection.")
            .counter("refused", Unit.COUNT, "Nodes that were not let in: the rules refuse them, have failed, or were late.")
            .counter("expelled", Unit.COUNT, "Nodes that lost their session, because a changed file of the rules refuses them.")
            .counter("failures", Unit.COUNT, "Rules that have thrown, have returned null, or could not be decided.")
            .counter("late", Unit.COUNT, "Decisions that have taken longer than admission.timeout.")
            .counter("overflows", Unit.COUNT, "Nodes that were refused because too many others waited for a decision.")
            .counter("reloads", Unit.COUNT, "Times that changed files of the rules were read.")
            .counter("reloads-failed", Unit.COUNT, "Times that changed files of the rules could not be used.")
            .gauge("pending", Unit.COUNT, "Nodes that wait for a decision.")
            .gauge("threads", Unit.COUNT, "Threads that ask the rules.")
            .list();

    private static final List<Metric> COMPONENTS = part(Place.NODE, "components")
            .gauge("components", Unit.COUNT, "Components on top of the node, such as sites.")
            .gauge("left-out", Unit.COUNT, "Parts of components that are beyond the number that an inspection has.")
            .counter("failures", Unit.COUNT, "Exceptions and errors that components have thrown when they were asked for their parts.")
            .list();

    private static final List<Metric> OPERATIONS = part(Place.NODE, "operations")
            .gauge("permitted", Unit.COUNT, "1 if operator.key-file is set, so that operators may change the node; else 0.")
            .counter("done", Unit.COUNT, "Operations that were done.")
            .counter("failed", Unit.COUNT, "Operations that were permitted and failed.")
            .counter("refused", Unit.COUNT, "Operations that were refused: without the key, or while another one was under way.")
            .list();

    private static final List<Metric> HEALTH = part(Place.NODE, "health")
            .gauge("problems", Unit.COUNT, "Problems that last; health says which.")
            .list();

    private static final List<Metric> DELIVERY = part(Place.GROUP, "delivery")
            .counter("messages", Unit.MESSAGES, "Messages given to the listener.")
            .counter("listener-failures", Unit.COUNT, "Exceptions and errors that callbacks of the group have thrown.")
            .counter(
                    "discarded-messages",
                    Unit.MESSAGES,
                    "Messages that were not given to the listener, because the group was being left.")
            .counter(
                    "discarded-packets",
                    Unit.PACKETS,
                    "Packets whose messages were not given to the listener, because the group was being left.")
            .counter("unreadable-packets", Unit.PACKETS, "Packets of members that could not be decoded.")
            .gauge("queued-items", Unit.PACKETS, "Packets and views that wait for the listener.")
            .counter("slow-packets", Unit.PACKETS, "Packets whose messages have kept the listener for 100 ms or more.")
            .counter("abandoned-messages", Unit.MESSAGES, "Large messages that were begun and will not be completed here.")
            .gauge("assembly-bytes", Unit.BYTES, "Memory of large messages that are being put together.")
            .gauge("assembly-bytes-most", Unit.BYTES, "The most that this has been.")
            .list();

    private static final List<Metric> SUBMISSION = part(Place.GROUP, "submission")
            .gauge("waiting-sends", Unit.MESSAGES, "Asynchronous sends that wait.")
            .gauge("blocked-threads", Unit.COUNT, "Threads that wait in a send.")
            .counter("send-waits", Unit.COUNT, "Sends that had to wait.")
            .counter("send-wait-nanos", Unit.NANOSECONDS, "Total time that sends have waited.")
            .gauge("receipts-waiting", Unit.COUNT, "Receipts that were asked for and neither given nor failed.")
            .counter("receipts-given", Unit.MESSAGES, "Messages that became stable, of those with a receipt.")
            .counter("receipts-failed", Unit.MESSAGES, "Messages whose receipt failed, because the view changed or time was over.")
            .counter(
                    "discarded-bytes",
                    Unit.BYTES,
                    "Of messages that were accepted and not sent, because their receiver is not in the view, or the group is left.")
            .counter(
                    "refused-messages",
                    Unit.MESSAGES,
                    "Messages that waited when a receiver came to the view that does not take so large ones.")
            .list();

    private static final List<Metric> STATE = part(Place.GROUP, "state")
            .gauge("received-bytes", Unit.BYTES, "Bytes of the state that have come; of the last transfer, when it is over.")
            .gauge("total-bytes", Unit.BYTES, "Bytes of the state; negative if not known.")
            .gauge("held-bytes", Unit.BYTES, "Messages that wait for the state.")
            .gauge("held-file-bytes", Unit.BYTES, "Of these, what is in a file.")
            .counter("held-full", Unit.COUNT, "Messages that found no room to wait for the state.")
            .counter("resumed", Unit.COUNT, "Transfers that another member has continued.")
            .counter("restarted", Unit.COUNT, "Transfers that had to begin anew.")
            .gauge("snapshots", Unit.COUNT, "Snapshots that are kept for newcomers.")
            .gauge("transfers", Unit.COUNT, "Newcomers that are being given the state.")
            .counter("sent-bytes", Unit.BYTES, "Bytes of the state that were sent to newcomers.")
            .counter("malformed", Unit.COUNT, "Messages about the state that could not be decoded.")
            .list();

    /** Returns all metrics, with those of every driver, layer and component on the class path. */
    public static List<Metric> all() {
        return Definitions.ALL;
    }

    public static Map<String, Metric> byId() {
        return Definitions.BY_ID;
    }

    /** Looks for drivers, layers and components once, on first use. */
    private static final class Definitions {

        static final List<Metric> ALL = all();
        static final Map<String, Metric> BY_ID = byId();

        private static List<Metric> all() {
            List<Metric> all = new ArrayList<>();
            Stream.of(PROCESS, EVENTS, COMPONENTS, OPERATIONS, HEALTH, SOURCES, ADMISSION, DELIVERY, SUBMISSION, STATE, NodeMetrics.ALL).forEach(all::addAll);
            all.addAll(Transports.metrics());
            all.addAll(LayerProviders.metrics());
            ServiceLoader.load(MetricsProvider.class, Metrics.class.getClassLoader()).forEach(provider -> all.addAll(provider.metrics()));
            return List.copyOf(all);
        }

        private static Map<String, Metric> byId() {
            Map<String, Metric> byId = new LinkedHashMap<>();
            for (Metric metric : ALL) {
                if (byId.put(metric.id(), metric) != null) {
                    throw new IllegalStateException("two metrics are called " + metric.id());
                }
            }
            return byId;
        }
    }
}
