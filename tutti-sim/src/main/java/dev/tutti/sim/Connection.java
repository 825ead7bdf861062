package dev.tutti.sim;

import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream between two nodes: two directions, each first in, first out, with a bounded buffer. */
final class Connection {

    /** One node's side of a connection. */
    static final class End {
        final SimulatedNode node;
        final int run;
        final Connection connection;
        int number;
        boolean isOpen = true;
        private @Nullable Pipe out;

        End(SimulatedNode node, int run, Connection connection) {
            this.node = node;
            this.run = run;
            this.connection = connection;
        }

        /** The direction away from this end. */
        Pipe out() {
            Pipe pipe = out;
            if (pipe == null) {
                throw new IllegalStateException("connection " + number + " of " + node + " is not there yet");
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

    /** What travels: a frame, or the end of the stream. */
    private record Item(byte @Nullable [] frame, boolean isOrderly, String detail, long arrivalNanos) {
        int length() {
            return frame == null ? 0 : frame.length;
        }
    }

    /** One direction. */
    static final class Pipe {
        private final Network network;
        private final End from;
        private final End to;
        private final ArrayDeque<Packet> waiting = new ArrayDeque<>(1);
        private final ArrayDeque<Item> line = new ArrayDeque<>(1);
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
            waiting.add(packet);
            pump();
        }

        /** The end follows what was written; what has not been taken after the linger time is given up. */
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
            Path path = network.path(from.node, to.node);
            Packet packet = waiting.peek();
            while (packet != null
                    && (bufferedBytes == 0 || bufferedBytes + packet.length() <= path.bufferBytes())) {
                waiting.poll();
                byte[] frame = new byte[packet.length()];
                packet.bytes().get(packet.offset(), frame);
                packet.release();
                bufferedBytes += frame.length;
                travel(path, frame, false, "");
                packet = waiting.peek();
            }
            if (packet == null && isEnding) {
                isEnding = false;
                travel(path, null, true, "closed by " + from.node);
            }
        }

        private void travel(Path path, byte @Nullable [] frame, boolean isOrderly, String detail) {
            if (isLost) {
                return;
            }
            long now = network.nowNanos();
            long bytes = frame == null ? 0 : frame.length + Integer.BYTES;
            lineFreeNanos = Math.max(now, lineFreeNanos) + bytes * 1_000_000_000L / path.bytesPerSecond();
            lastArrivalNanos = Math.max(lastArrivalNanos, lineFreeNanos + network.delayNanos(path));
            line.add(new Item(frame, isOrderly, detail, lastArrivalNanos));
            network.at(lastArrivalNanos, this::arrive);
        }

        /** What has arrived by now goes to the reader, unless the direction is cut or clogged: then it waits. */
        void arrive() {
            Item item = line.peek();
            while (item != null && item.arrivalNanos() <= network.nowNanos() && !network.isHeld(from.node, to.node)) {
                line.poll();
                if (to.isOpen) {
                    hand(item);
                } else {
                    bufferedBytes -= item.length();
                }
                item = line.peek();
            }
            pump();
        }

        private void hand(Item item) {
            byte[] frame = item.frame();
            if (frame == null) {
                to.node.onEnd(to, item.isOrderly(), item.detail());
            } else {
                to.node.onFrame(to, frame, this);
            }
        }

        /** The reader has taken a frame out of the buffer. */
        void onRead(int bytes) {
            bufferedBytes -= bytes;
            pump();
        }

        void discardWaiting() {
            for (Packet packet : waiting) {
                packet.release();
            }
            waiting.clear();
            isEnding = false;
        }

        /** The process at the writing end has died: its kernel sends some of what it had taken, and the end. */
        void abort(int framesKept, boolean isOrderly, String detail, long delayNanos) {
            discardWaiting();
            keepFirst(framesKept);
            if (!isLost) {
                lastArrivalNanos = Math.max(lastArrivalNanos, network.nowNanos() + delayNanos);
                line.add(new Item(null, isOrderly, detail, lastArrivalNanos));
                network.at(lastArrivalNanos, this::arrive);
                isLost = true;
            }
        }

        /** Nothing beyond the first {@code framesKept} of what is on the line arrives any more. */
        void lose(int framesKept) {
            keepFirst(framesKept);
            isLost = true;
        }

        /** The reader finds the frame after the first {@code framesKept} wrong and ends the stream; the writer learns it. */
        void corrupt(int framesKept) {
            if (!isLost) {
                keepFirst(framesKept);
                lastArrivalNanos = Math.max(lastArrivalNanos, network.nowNanos());
                line.add(new Item(null, false, "the stream is corrupt", lastArrivalNanos));
                network.at(lastArrivalNanos, this::arrive);
                isLost = true;
                network.notice(from);
            }
        }

        private void keepFirst(int framesKept) {
            while (line.size() > framesKept) {
                line.pollLast();
            }
        }

        int frameCount() {
            return line.size();
        }

        private static final long LINGER_NANOS = 2_000_000_000L;
    }

    private final Network network;
    private final End dialler;
    private @Nullable End acceptor;

    Connection(Network network, SimulatedNode node, int run) {
        this.network = network;
        this.dialler = new End(node, run, this);
    }

    /** Both sides have a socket from now on. */
    End accept(SimulatedNode node, int run) {
        End end = new End(node, run, this);
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
            throw new IllegalStateException("connection of " + dialler.node + " is not accepted");
        }
        return end;
    }

    boolean isConnected() {
        return acceptor != null;
    }

    boolean isOver() {
        return !dialler.isOpen && (acceptor == null || !acceptor.isOpen);
    }

    /** Directions with what is on their way, the dialler's first. */
    List<Pipe> pipes() {
        List<Pipe> pipes = new ArrayList<>(2);
        if (acceptor != null) {
            pipes.add(dialler.out());
            pipes.add(acceptor.out());
        }
        return pipes;
    }
}
