package dev.tutti.netty.internal.loop;

import static dev.tutti.core.metrics.Metric.part;

import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import dev.tutti.core.metrics.Metric;
import java.util.List;
import java.util.stream.Stream;

/** Metrics of drivers and of connections. */
public final class NettyMetrics {

    private NettyMetrics() {}

    private static final List<Metric> LOOP = part(Place.NODE, "driver")
            .counter("turns", Unit.COUNT, "Turns of the loop.")
            .counter("tasks", Unit.COUNT, "Tasks that other threads have given to the loop.")
            .counter("turns.taken-over", Unit.COUNT, "Times that another thread took over the loop because a listener blocked its thread.")
            .counter("frames.received", Unit.FRAMES, "Frames received.")
            .counter("frames.sent", Unit.FRAMES, "Frames sent.")
            .counter("frames.copied", Unit.FRAMES, "Frames that had to be copied before they could be sent.")
            .counter("frames.corrupt", Unit.FRAMES, "Frames whose checksum was wrong; their connections were closed.")
            .counter("bytes.received", Unit.BYTES, "Bytes received.")
            .counter("bytes.sent", Unit.BYTES, "Bytes sent.")
            .counter("connections.accepted", Unit.COUNT, "Connections that others have opened.")
            .counter("connections.dialled", Unit.COUNT, "Connections that this node has opened.")
            .counter("connections.refused-limit", Unit.COUNT, "Connections refused because there were transport.connections-max.")
            .counter("connections.evicted", Unit.COUNT, "Accepted connections that had not shown whose they are, closed to make room for newer ones.")
            .counter("connections.expired", Unit.COUNT, "Accepted connections closed because their TLS handshake took longer than transport.connect-timeout.")
            .counter("connections.garbage", Unit.COUNT, "Connections closed because something else than frames came.")
            .counter("connections.overflowed", Unit.COUNT, "Connections closed because the other end did not read.")
            .counter("dials.failed", Unit.COUNT, "Connections that could not be opened.")
            .counter("connections.distrusted", Unit.COUNT, "Living connections closed because the certificate of the other end has expired, was revoked, or is not trusted any more.")
            .counter("refusals.untold", Unit.COUNT, "Failed TLS handshakes that are in no event, because there were more than 16 in a second.")
            .gauge("relay.servers", Unit.COUNT, "Rendezvous servers through which others reach this node at present.")
            .counter("relay.accepted", Unit.COUNT, "Connections that others have opened through a rendezvous server.")
            .counter("relay.dialled", Unit.COUNT, "Connections that this node has opened through a rendezvous server.")
            .counter("relay.failed", Unit.COUNT, "Connections that could not be opened through a rendezvous server.")
            .counter("relay.ignored", Unit.COUNT, "Connections that a rendezvous server has announced and that were not taken, because 64 were being opened.")
            .counter("resolves.failed", Unit.COUNT, "Names that have no address.")
            .counter("tls.handshakes-failed", Unit.COUNT, "TLS handshakes that failed.")
            .counter("tls.reloads", Unit.COUNT, "Changed certificates that were loaded.")
            .counter("tls.reloads-failed", Unit.COUNT, "Changed certificates that could not be read; the old ones stay.")
            .list();

    private static final List<Metric> DATAGRAMS = part(Place.NODE, "driver")
            .counter("batches.received", Unit.COUNT, "Calls of the system that received datagrams.")
            .counter("batches.sent", Unit.COUNT, "Calls of the system that sent datagrams.")
            .counter("datagrams.received", Unit.DATAGRAMS, "Datagrams received.")
            .counter("datagrams.received-multicast", Unit.DATAGRAMS, "Datagrams received that were sent to the multicast group.")
            .counter("datagrams.received-own", Unit.DATAGRAMS, "Own datagrams that came back by multicast.")
            .counter("datagrams.received-copied", Unit.DATAGRAMS, "Datagrams that had to be copied when they came.")
            .counter("datagrams.sent", Unit.DATAGRAMS, "Datagrams sent.")
            .counter("datagrams.sent-multicast", Unit.DATAGRAMS, "Datagrams sent to the multicast group.")
            .counter("datagrams.sent-segmented", Unit.DATAGRAMS, "Datagrams that the system cut out of larger writes.")
            .counter("datagrams.sent-copied", Unit.DATAGRAMS, "Datagrams that had to be copied before they could be sent.")
            .counter("datagrams.dropped-queue-full", Unit.DATAGRAMS, "Datagrams not sent because too many waited.")
            .counter("datagrams.dropped-too-large", Unit.DATAGRAMS, "Datagrams not sent because the path does not take their size.")
            .counter("datagrams.dropped-no-buffer", Unit.DATAGRAMS, "Datagrams not sent because the system had no buffer.")
            .counter("datagrams.dropped-not-permitted", Unit.DATAGRAMS, "Datagrams not sent because the system did not permit it.")
            .counter("datagrams.dropped-refused", Unit.DATAGRAMS, "Datagrams not sent because nobody listens there.")
            .counter("datagrams.dropped-unreachable", Unit.DATAGRAMS, "Datagrams not sent because there is no route.")
            .counter("datagrams.dropped-closed", Unit.DATAGRAMS, "Datagrams not sent because the socket was closed.")
            .counter("datagrams.dropped-other", Unit.DATAGRAMS, "Datagrams not sent for other reasons.")
            .counter("datagrams.lost-in-buffer", Unit.DATAGRAMS, "Datagrams that the system dropped because its receive buffer was full.")
            .counter("segmentation.refused", Unit.COUNT, "Larger writes that the system refused to split into datagrams.")
            .counter("receives.failed", Unit.COUNT, "Receives that failed.")
            .gauge("watches.open", Unit.COUNT, "Connections by TCP with other processes, whose ends tell of crashes.")
            .counter("watches.connected", Unit.COUNT, "Such connections that this node has opened.")
            .counter("watches.failed", Unit.COUNT, "Such connections that could not be opened, because TCP does not pass, or nobody listens.")
            .counter("watches.refused", Unit.COUNT, "Such connections that were refused after one had ended: the process seems to be gone.")
            .counter("watches.accepted", Unit.COUNT, "Such connections that others have opened.")
            .counter("watches.evicted", Unit.COUNT, "Accepted ones that were closed because there were transport.connections-max.")
            .list();

    private static final List<Metric> MEMORY = part(Place.NODE, "driver")
            .counter("memory.acquired", Unit.COUNT, "Blocks of direct memory that were taken from the process's pool.")
            .counter("memory.allocated", Unit.COUNT, "Blocks of direct memory that had to be allocated for it.")
            .gauge("memory.allocated-bytes", Unit.BYTES, "Direct memory of the process's pool.")
            .gauge("memory.outstanding", Unit.COUNT, "Blocks that are in use.")
            .gauge("memory.pooled-bytes", Unit.BYTES, "Direct memory that waits in the pool.")
            .gauge("memory.tls-bytes", Unit.BYTES, "Memory of TLS.")
            .list();

    private static final List<Metric> SOCKET = part(Place.LINK, "socket")
            .gauge("unwritten-bytes", Unit.BYTES, "Bytes that wait for the system to take them.")
            .gauge("round-trip-micros", Unit.MICROSECONDS, "Smoothed round trip, as the system measures it.")
            .gauge("round-trip-variation-micros", Unit.MICROSECONDS, "Variation of the round trip.")
            .counter("retransmitted-segments", Unit.COUNT, "Segments of TCP sent again.")
            .gauge("unacknowledged-segments", Unit.COUNT, "Segments of TCP under way.")
            .gauge("lost-segments", Unit.COUNT, "Segments of TCP that the system takes for lost now.")
            .gauge("window-segments", Unit.COUNT, "Segments of TCP that may be under way.")
            .gauge("segment-bytes", Unit.BYTES, "Largest segment of TCP.")
            .list();

    /** All metrics of drivers. */
    public static final List<Metric> ALL =
            Stream.of(LOOP, DATAGRAMS, MEMORY, SOCKET).flatMap(List::stream).toList();
}
