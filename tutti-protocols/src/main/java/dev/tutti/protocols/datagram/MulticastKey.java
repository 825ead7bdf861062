package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.crypto.DatagramSeal;
import dev.tutti.core.crypto.KeySchedule;

/** Key of a node's own multicasts, which the node gives to its peers. Each node has its own, so that none shares nonces. */
public final class MulticastKey {

    private final int number;
    private final byte[] secret;
    private final DatagramSeal seal;
    private long next;

    /**
     * @param number number of the key, above those before
     * @param secret {@link KeySchedule#SECRET_BYTES}
     */
    public MulticastKey(int number, byte[] secret) {
        this.number = number;
        this.secret = secret.clone();
        this.seal = new DatagramSeal(secret);
    }

    public int number() {
        return number;
    }

    /** Appends number and secret to a frame of a session with a peer. */
    public Packet appendTo(Packet frame) {
        return frame.appendInt(number).append(secret, 0, secret.length);
    }

    /** Returns a datagram with the encrypted frame, which is released. */
    public Packet seal(long incarnation, Packet frame, Memory memory) {
        int bytes = Datagrams.SEALED_MULTICAST_HEADER_BYTES + frame.length() + DatagramSeal.TAG_BYTES;
        Packet datagram = Packet.of(memory.acquire(bytes), 0, 0)
                .appendInt(Datagrams.SEALED)
                .appendByte(Datagrams.MULTICAST)
                .appendLong(incarnation)
                .appendInt(number)
                .appendLong(next);
        seal.append(next, datagram, frame);
        next++;
        frame.release();
        return datagram;
    }
}
