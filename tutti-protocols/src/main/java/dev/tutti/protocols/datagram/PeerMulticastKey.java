package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.crypto.DatagramSeal;
import dev.tutti.core.crypto.KeySchedule;
import dev.tutti.core.crypto.ReplayWindow;

/** Key of a peer's multicasts, and the numbers of those that have arrived under it. */
public final class PeerMulticastKey {

    /** Result of opening a multicast. */
    public enum Opening {
        OPENED,
        /** Its number has arrived before, or is too old to tell. */
        REPLAYED,
        /** The peer has not sealed it, or it was changed on its way. */
        FORGED
    }

    private final int number;
    private final DatagramSeal seal;
    private final ReplayWindow window = new ReplayWindow();

    private PeerMulticastKey(int number, byte[] secret) {
        this.number = number;
        this.seal = new DatagramSeal(secret);
    }

    /** Takes a key from a frame of the peer's session; if the frame is malformed, the key is of no use. */
    public static PeerMulticastKey take(Packet frame) {
        int number = frame.takeInt();
        byte[] secret = new byte[KeySchedule.SECRET_BYTES];
        for (int index = 0; index < secret.length; index++) {
            secret[index] = (byte) frame.takeByte();
        }
        return new PeerMulticastKey(number, secret);
    }

    public int number() {
        return number;
    }

    /** Decrypts a multicast in place, of which the number and the header before it have been taken. */
    public Opening open(long datagramNumber, Packet datagram) {
        if (!window.isNew(datagramNumber)) {
            return Opening.REPLAYED;
        }
        if (!seal.open(datagramNumber, datagram, Datagrams.SEALED_MULTICAST_HEADER_BYTES)) {
            return Opening.FORGED;
        }
        window.add(datagramNumber);
        return Opening.OPENED;
    }
}
