package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.crypto.DatagramSeal;
import dev.tutti.core.driver.DatagramEffects;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Multicasts of a node, which are sent at the end of the turn; with a checksum, unless they are encrypted. */
final class MulticastQueue implements Multicast {

    private final DatagramLimits limits;
    private final Datagrams seals;
    private final byte @Nullable [] secret;
    private final ArrayDeque<Packet> frames = new ArrayDeque<>();
    private long sent;

    MulticastQueue(DatagramLimits limits, Datagrams seals, DatagramSecrets secrets) {
        this.limits = limits;
        this.secret = limits.isSecure() ? secrets.multicast() : null;
        this.seals = seals;
    }

    @Override
    public void send(Packet frame) {
        if (secret == null) {
            frame.prependByte(Datagrams.MULTICAST).prependInt(0);
            seals.seal(frame);
        }
        frames.add(frame);
    }

    @Override
    public int frameBytesMax() {
        int headerBytes = secret == null
                ? Datagrams.MULTICAST_HEADER_BYTES
                : Datagrams.SEALED_MULTICAST_HEADER_BYTES + DatagramSeal.TAG_BYTES;
        return limits.datagramBytesMax() - headerBytes;
    }

    @Override
    public byte @Nullable [] secret() {
        return secret;
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
