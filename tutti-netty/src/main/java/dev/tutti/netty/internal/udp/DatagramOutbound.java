package dev.tutti.netty.internal.udp;

import dev.tutti.core.Block;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.memory.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams on their way out of one socket. Used on the loop only.
 *
 * <p>The datagrams of one drain to one endpoint are gathered: those of the same length, of which the last may be
 * shorter, are copied together and go to the system as one buffer, which it divides again (GSO): one pass through the
 * network stack for up to 64 of them. A single datagram, or one so large that two do not fit, is not copied.
 *
 * <p>Datagrams that the socket's buffer does not take wait in Netty's, up to a bound; beyond it they are dropped.
 */
final class DatagramOutbound {

    /** Linux takes no more in one buffer. */
    private static final int SEGMENTS_MAX = 64;

    /** Segments longer than this do not fit in pairs. */
    static final int SEGMENT_BYTES_MAX = DatagramSize.LIMIT_BYTES / 2;

    /** Receives the driver's notifications. */
    interface Watcher {

        /** Notes that datagrams to {@code to} were dropped. */
        void onDropped(Name reason, Endpoint to, String detail);

        /** Notes that no datagram waits any more. */
        void onSettled();
    }

    private final Channel channel;
    private final DirectMemory memory;
    private final DriverCounters counters;
    private final long queueBytesMax;
    private final Function<Endpoint, @Nullable InetSocketAddress> addressing;
    private final Watcher watcher;
    private final Map<Endpoint, Route> routes = new HashMap<>();
    private final List<Route> dirty = new ArrayList<>();
    private @Nullable Route last;
    private long pendingBytes;

    /** Longest segments that the system divides a buffer into; 0 if it divides none. */
    private volatile int segmentBytesMax;

    /**
     * @param isSegmenting whether the channel takes segmented buffers
     * @param queueBytesMax bytes that may wait for the socket
     * @param addressing returns the address of an endpoint; null if the socket can't reach it
     */
    DatagramOutbound(
            Channel channel,
            DirectMemory memory,
            DriverCounters counters,
            boolean isSegmenting,
            long queueBytesMax,
            Function<Endpoint, @Nullable InetSocketAddress> addressing,
            Watcher watcher) {
        this.channel = channel;
        this.memory = memory;
        this.counters = counters;
        this.segmentBytesMax = isSegmenting ? SEGMENT_BYTES_MAX : 0;
        this.queueBytesMax = queueBytesMax;
        this.addressing = addressing;
        this.watcher = watcher;
    }

    /** Returns the longest segments; 0 if nothing is segmented (any more). From any thread. */
    int segmentBytesMax() {
        return segmentBytesMax;
    }

    long pendingBytes() {
        return pendingBytes;
    }

    // ------------------------------------------------------------------ from the machine

    /** Takes a datagram and its ownership. It leaves with {@link #flush} or before. */
    void send(Endpoint to, Packet datagram) {
        int length = datagram.length();
        if (length == 0 || DatagramSize.LIMIT_BYTES < length) {
            throw new IllegalArgumentException(
                    "datagram of " + length + " bytes, at least 1 and at most " + DatagramSize.LIMIT_BYTES);
        }
        Route route = route(to);
        if (route == null) {
            datagram.release();
            drop(Name.DATAGRAMS_DROPPED_UNREACHABLE, 1, to, "the socket is bound to the other version of IP");
            return;
        }
        if (pendingBytes + length > queueBytesMax) {
            flush();
            if (pendingBytes + length > queueBytesMax) {
                datagram.release();
                drop(Name.DATAGRAMS_DROPPED_QUEUE_FULL, 1, to,
                        pendingBytes + " bytes wait for the socket (transport.datagram-queue-max)");
                return;
            }
        }
        pendingBytes += length;
        route.add(datagram);
    }

    /** Hands everything to the system. */
    void flush() {
        if (dirty.isEmpty()) {
            return;
        }
        for (int index = 0; index < dirty.size(); index++) {
            dirty.get(index).write();
        }
        dirty.clear();
        channel.flush();
    }

    private @Nullable Route route(Endpoint to) {
        Route route = last;
        if (route != null && route.endpoint.equals(to)) {
            return route;
        }
        route = routes.get(to);
        if (route == null) {
            InetSocketAddress address = addressing.apply(to);
            if (address == null) {
                return null;
            }
            if (routes.size() >= Addresses.REMEMBERED_MAX) {
                flush();
                routes.clear();
            }
            route = new Route(to, address);
            routes.put(to, route);
        }
        last = route;
        return route;
    }

    // ------------------------------------------------------------------ from the system

    private void onSent(Departure departure) {
        counters.add(Name.BATCHES_SENT, 1);
        counters.add(Name.BYTES_SENT, departure.bytes);
        counters.add(Name.DATAGRAMS_SENT, departure.count);
        if (departure.route.isMulticast) {
            counters.add(Name.DATAGRAMS_SENT_MULTICAST, departure.count);
        }
        if (departure.count > 1) {
            counters.add(Name.DATAGRAMS_SENT_SEGMENTED, departure.count);
        }
        settle(departure);
    }

    private void onFailed(Departure departure, Throwable cause) {
        Name reason = reason(cause);
        if (departure.count > 1 && isAboutSegments(reason)) {
            counters.add(Name.SEGMENTATION_REFUSED, 1);
            // A device without checksums gives EIO whatever the size; the other errors are about the size.
            boolean isNever = message(cause).contains("nput/output");
            segmentBytesMax = isNever ? 0 : Math.min(segmentBytesMax, departure.segmentBytes - 1);
            departure.route.writeOneByOne(departure);
            settle(departure);
            channel.eventLoop().execute(channel::flush);
            return;
        }
        drop(reason, departure.count, departure.route.endpoint, message(cause));
        settle(departure);
    }

    private static boolean isAboutSegments(Name reason) {
        return reason == Name.DATAGRAMS_DROPPED_TOO_LARGE || reason == Name.DATAGRAMS_DROPPED_OTHER;
    }

    private void settle(Departure departure) {
        pendingBytes -= departure.bytes;
        departure.memory.release();
        if (pendingBytes == 0) {
            watcher.onSettled();
        }
    }

    private void drop(Name reason, int count, Endpoint to, String detail) {
        counters.add(reason, count);
        watcher.onDropped(reason, to, detail);
    }

    /** Finds the reason in the system's error text, which both Netty's native transports and the JDK provide. */
    private static Name reason(Throwable cause) {
        String message = message(cause);
        if (cause instanceof ClosedChannelException) {
            return Name.DATAGRAMS_DROPPED_CLOSED;
        } else if (message.contains("too long")) {
            return Name.DATAGRAMS_DROPPED_TOO_LARGE;
        } else if (message.contains("buffer space")) {
            return Name.DATAGRAMS_DROPPED_NO_BUFFER;
        } else if (message.contains("not permitted") || message.contains("denied")) {
            return Name.DATAGRAMS_DROPPED_NOT_PERMITTED;
        } else if (cause instanceof PortUnreachableException || message.contains("refused")) {
            return Name.DATAGRAMS_DROPPED_REFUSED;
        } else if (message.contains("unreachable") || message.contains("No route")) {
            return Name.DATAGRAMS_DROPPED_UNREACHABLE;
        } else if (cause instanceof IOException) {
            return Name.DATAGRAMS_DROPPED_OTHER;
        }
        return Name.DATAGRAMS_DROPPED_UNREACHABLE;
    }

    private static String message(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    // ------------------------------------------------------------------ gathering

    /** The path to one endpoint, with the datagrams of this drain. */
    private final class Route {

        final Endpoint endpoint;
        final InetSocketAddress address;
        final boolean isMulticast;

        /** The only datagram so far. */
        private @Nullable Packet single;

        /** Several datagrams, one after the other. */
        private @Nullable Block gathered;

        private int count;
        private int bytes;
        private int segmentBytes;

        Route(Endpoint endpoint, InetSocketAddress address) {
            this.endpoint = endpoint;
            this.address = address;
            this.isMulticast = address.getAddress().isMulticastAddress();
        }

        void add(Packet datagram) {
            int length = datagram.length();
            if (0 < count && !fits(length)) {
                write();
            } else if (0 < count) {
                gather(datagram);
                return;
            } else {
                dirty.add(this);
            }
            single = datagram;
            count = 1;
            bytes = length;
            segmentBytes = length;
        }

        /** Returns whether all datagrams so far have the length of the first, and one of {@code length} may follow. */
        private boolean fits(int length) {
            return segmentBytes <= segmentBytesMax
                    && length <= segmentBytes
                    && bytes == count * segmentBytes
                    && count < SEGMENTS_MAX
                    && bytes + length <= DatagramSize.LIMIT_BYTES;
        }

        private void gather(Packet datagram) {
            Block block = gathered;
            if (block == null) {
                block = memory.acquire(Math.min(DatagramSize.LIMIT_BYTES, segmentBytes * SEGMENTS_MAX));
                gathered = block;
                Packet first = single;
                if (first != null) {
                    single = null;
                    copy(first, block, 0);
                }
            }
            int length = datagram.length();
            copy(datagram, block, bytes);
            bytes += length;
            count++;
        }

        private void copy(Packet datagram, Block block, int offset) {
            block.bytes().put(offset, datagram.bytes(), datagram.offset(), datagram.length());
            datagram.release();
            counters.add(Name.DATAGRAMS_SENT_COPIED, 1);
        }

        void write() {
            Packet whole = single;
            if (gathered != null) {
                whole = Packet.of(gathered, 0, bytes);
            }
            if (whole != null) {
                write(new Departure(this, whole, count, segmentBytes));
            }
            single = null;
            gathered = null;
            count = 0;
            bytes = 0;
        }

        void writeOneByOne(Departure refused) {
            Packet whole = refused.memory;
            for (int offset = 0; offset < refused.bytes; offset += refused.segmentBytes) {
                int length = Math.min(refused.segmentBytes, refused.bytes - offset);
                Packet segment = whole.slice();
                segment.skip(offset);
                pendingBytes += length;
                write(new Departure(this, segment, 1, length));
            }
        }

        private void write(Departure departure) {
            Packet whole = departure.memory;
            ByteBuf bytes = Unpooled.wrappedBuffer(whole.bytes().slice(whole.offset(), departure.bytes));
            DatagramPacket message = departure.count == 1
                    ? new DatagramPacket(bytes, address)
                    : new SegmentedDatagramPacket(bytes, departure.segmentBytes, address);
            channel.write(message, departure);
        }
    }

    /** One write, with the memory that it needs until it is complete. */
    private final class Departure extends DefaultChannelPromise {

        final Route route;
        final Packet memory;
        final int bytes;
        final int count;
        final int segmentBytes;

        Departure(Route route, Packet memory, int count, int segmentBytes) {
            super(channel);
            this.route = route;
            this.memory = memory;
            this.count = count;
            this.segmentBytes = segmentBytes;
            this.bytes = count == 1 ? segmentBytes : memory.length();
        }

        @Override
        public boolean trySuccess(@Nullable Void result) {
            boolean isNew = super.trySuccess(result);
            if (isNew) {
                onSent(this);
            }
            return isNew;
        }

        @Override
        public boolean tryFailure(Throwable cause) {
            boolean isNew = super.tryFailure(cause);
            if (isNew) {
                onFailed(this, cause);
            }
            return isNew;
        }
    }
}
