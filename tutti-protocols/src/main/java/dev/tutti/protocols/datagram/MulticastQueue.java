package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import java.util.ArrayDeque;

/** Multicasts of a node: sealed at once, and sent at the end of the turn. */
final class MulticastQueue implements Multicast {

    private final DatagramLimits limits;
    private final Datagrams seals;
    private final ArrayDeque<Packet> frames = new ArrayDeque<>();
    private long sent;

    MulticastQueue(DatagramLimits limits, Datagrams seals) {
        this.limits = limits;
        this.seals = seals;
    }

    @Override
    public void send(Packet frame) {
        frame.prependByte(Datagrams.MULTICAST).prependInt(0);
        seals.seal(frame);
        frames.add(frame);
    }

    @Override
    public int frameBytesMax() {
        return limits.datagramBytesMax() - Datagrams.MULTICAST_HEADER_BYTES;
    }

    @Override
    public int receiveBufferBytes() {
        return limits.receiveBufferBytes();
    }

    void drain(DatagramEffects effects) {
        Packet frame = frames.poll();
        while (frame != null) {
            sent++;
            effects.multicast(frame);
            frame = frames.poll();
        }
    }

    /** Returns the number of multicasts that were sent. */
    long sent() {
        return sent;
    }
}
