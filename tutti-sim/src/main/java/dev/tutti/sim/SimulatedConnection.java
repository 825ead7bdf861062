package dev.tutti.sim;

import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stream between two nodes: two directions, each first in, first out, with a bounded buffer. */
final class SimulatedConnection {

    /** One node's side of a connection. */
    static final class End {
        final StreamDriver driver;
        final SimulatedConnection connection;
        int number;
        boolean isOpen = true;
        private @Nullable Pipe out;

        End(StreamDriver driver, SimulatedConnection connection) {
            this.driver = driver;
            this.connection = connection;
        }

        SimulatedNode node() {
            return driver.node();
        }

        /** Returns the direction away from this end. */
        Pipe out() {
            Pipe pipe = out;
            if (pipe == null) {
                throw new IllegalStateException("connection " + number + " of " + node() + " is not there yet");
            }
            return pipe;
        }

        boolean isConnected() {
            return out != null;
        }

        End other() {
            return this == connection.dialler ? connection.acceptor() : connection.dialler;
        }
    }

    /** Frame in flight, or the end of the stream. */
    private static final class Item {
        final byte @Nullable [] frame;
        final boolean isOrderly;
        final String detail;
        final long arrivalNanos;
        @Nullable Item next;

        Item(byte @Nullable [] frame, boolean isOrderly, String detail, long arrivalNanos) {
            this.frame = frame;
            this.isOrderly = isOrderly;
            this.detail = detail;
            this.arrivalNanos = arrivalNanos;
        }

        int length() {
            return frame == null ? 0 : frame.length;
        }
    }

    /** One direction. There are millions of these in a large simulation, and nothing is on most of them. */
    static final class Pipe implements Runnable {
        private final Network network;
        private final End from;
        private final End to;

        /** Frames for which the buffer has no room; null if there was always room. */
        private @Nullable ArrayDeque<Packet> waiting;

        // Items in flight.
        private @Nullable Item first;
        private @Nullable Item last;

        private int bufferedBytes;
        private long lineFreeNanos;
        private long lastArrivalNanos;
        private boolean isEnding;
        private boolean isLost;

        Pipe(Network network, End from, End to) {
            this.network = network;
            this.from = from;
            this.to = to;
        }

        void write(Packet packet) {
            if (!to.isOpen) {
                packet.release();
                discardWaiting();
                return;
            }
            ArrayDeque<Packet> queue = waiting;
            Path path = network.path(from.node(), to.node());
            if ((queue == null || queue.isEmpty()) && hasRoom(path, packet)) {
                take(path, packet);
                return;
            }
            if (queue == null) {
                queue = new ArrayDeque<>();
                waiting = queue;
            }
            queue.add(packet);
        }

        /** Ends the direction after pending frames; those not taken after the linger time are given up. */
        void end() {
            isEnding = true;
            pump();
            if (isLost) {
                discardWaiting();
            } else if (isEnding) {
                network.at(network.nowNanos() + LINGER_NANOS, this::discardWaiting);
            }
        }

        private void pump() {
            if (!to.isOpen) {
                discardWaiting();
                return;
            }
            ArrayDeque<Packet> queue = waiting;
            if (queue != null) {
                Path path = network.path(from.node(), to.node());
                Packet packet = queue.peek();
                while (packet != null && hasRoom(path, packet)) {
                    queue.remove();
                    take(path, packet);
                    packet = queue.peek();
                }
            }
            if (isEnding && (queue == null || queue.isEmpty())) {
                isEnding = false;
                travel(network.path(from.node(), to.node()), null, true, "closed by " + from.node());
            }
        }

        private boolean hasRoom(Path path, Packet packet) {
            return bufferedBytes == 0 || bufferedBytes + packet.length() <= path.bufferBytes();
        }

        private void take(Path path, Packet packet) {
            byte[] frame = new byte[packet.length()];
            packet.bytes().get(packet.offset(), frame);
            packet.release();
            bufferedBytes += frame.length;
            travel(path, frame, false, "");
        }

        private void travel(Path path, byte @Nullable [] frame, boolean isOrderly, String detail) {
            if (isLost) {
                return;
            }
            long now = network.nowNanos();
            long bytes = frame == null ? 0 : frame.length + Integer.BYTES;
            lineFreeNanos = Math.max(now, lineFreeNanos) + bytes * 1_000_000_000L / path.bytesPerSecond();
            lastArrivalNanos = Math.max(lastArrivalNanos, lineFreeNanos + network.delayNanos(path));
            append(frame, isOrderly, detail);
        }

        private void append(byte @Nullable [] frame, boolean isOrderly, String detail) {
            Item item = new Item(frame, isOrderly, detail, lastArrivalNanos);
            Item before = last;
            if (before == null) {
                first = item;
            } else {
                before.next = item;
            }
            last = item;
            network.at(lastArrivalNanos, this);
        }

        /** Hands items that have arrived by now to the reader, unless the direction is cut or clogged. */
        @Override
        public void run() {
            Item item = first;
            while (item != null && item.arrivalNanos <= network.nowNanos() && !network.isHeld(from.node(), to.node())) {
                first = item.next;
                if (first == null) {
                    last = null;
                }
                if (to.isOpen) {
                    hand(item);
                } else {
                    bufferedBytes -= item.length();
                }
                item = first;
            }
            pump();
        }

        private void hand(Item item) {
            byte[] frame = item.frame;
            if (frame == null) {
                to.driver.onEnd(to, item.isOrderly, item.detail);
            } else {
                to.driver.onFrame(to, frame, this);
            }
        }

        /** Notes that the reader has taken a frame out of the buffer. */
        void onRead(int bytes) {
            bufferedBytes -= bytes;
            pump();
        }

        void discardWaiting() {
            ArrayDeque<Packet> queue = waiting;
            if (queue != null) {
                queue.forEach(Packet::release);
                waiting = null;
            }
            isEnding = false;
        }

        /** Ends the direction of a writer that has died: its kernel sends some of the buffered frames, and the end. */
        void abort(int framesKept, boolean isOrderly, String detail, long delayNanos) {
            discardWaiting();
            keepFirst(framesKept);
            if (!isLost) {
                lastArrivalNanos = Math.max(lastArrivalNanos, network.nowNanos() + delayNanos);
                append(null, isOrderly, detail);
                isLost = true;
            }
        }

        /** Loses everything beyond the first {@code framesKept} frames in flight. */
        void lose(int framesKept) {
            keepFirst(framesKept);
            isLost = true;
        }

        /** Corrupts the frame after the first {@code framesKept}: the reader ends the stream; the writer notices. */
        void corrupt(int framesKept) {
            if (!isLost) {
                keepFirst(framesKept);
                lastArrivalNanos = Math.max(lastArrivalNanos, network.nowNanos());
                append(null, false, "the stream is corrupt");
                isLost = true;
                network.notice(from);
            }
        }

        private void keepFirst(int framesKept) {
            Item kept = null;
            Item item = first;
            for (int count = 0; count < framesKept && item != null; count++) {
                kept = item;
                item = item.next;
            }
            if (kept == null) {
                first = null;
            } else {
                kept.next = null;
            }
            last = kept;
        }

        int frameCount() {
            int count = 0;
            for (Item item = first; item != null; item = item.next) {
                count++;
            }
            return count;
        }

        private static final long LINGER_NANOS = 2_000_000_000L;
    }

    private final Network network;
    private final End dialler;
    private @Nullable End acceptor;

    SimulatedConnection(Network network, StreamDriver driver) {
        this.network = network;
        this.dialler = new End(driver, this);
    }

    /** Accepts the connection: both sides have a socket from now on. */
    End accept(StreamDriver driver) {
        End end = new End(driver, this);
        acceptor = end;
        dialler.out = new Pipe(network, dialler, end);
        end.out = new Pipe(network, end, dialler);
        return end;
    }

    End dialler() {
        return dialler;
    }

    End acceptor() {
        End end = acceptor;
        if (end == null) {
            throw new IllegalStateException("connection of " + dialler.node() + " is not accepted");
        }
        return end;
    }

    boolean isConnected() {
        return acceptor != null;
    }

    boolean isOver() {
        return !dialler.isOpen && (acceptor == null || !acceptor.isOpen);
    }

    /** Returns the directions that exist, the dialler's first. */
    List<Pipe> pipes() {
        List<Pipe> pipes = new ArrayList<>(2);
        if (acceptor != null) {
            pipes.add(dialler.out());
            pipes.add(acceptor.out());
        }
        return pipes;
    }
}
