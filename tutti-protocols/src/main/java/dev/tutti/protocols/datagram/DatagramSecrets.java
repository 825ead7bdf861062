package dev.tutti.protocols.datagram;

import dev.tutti.core.crypto.KeySchedule;
import java.nio.ByteBuffer;

/**
 * Values that nobody can guess, drawn by the owner of a {@link DatagramNode} for each run.
 *
 * @param keyLow half of the key of cookies and ids
 * @param keyHigh the other half
 * @param multicast secret from which the keys of multicasts are derived
 */
public record DatagramSecrets(long keyLow, long keyHigh, byte[] multicast) {

    /** Bytes that {@link #of} takes. */
    public static final int BYTES = 2 * Long.BYTES + KeySchedule.SECRET_BYTES;

    /**
     * @param drawn {@link #BYTES} of a secure source
     */
    public static DatagramSecrets of(byte[] drawn) {
        if (drawn.length != BYTES) {
            throw new IllegalArgumentException(drawn.length + " bytes for the secrets of a node, must be " + BYTES);
        }
        ByteBuffer bytes = ByteBuffer.wrap(drawn);
        byte[] multicast = new byte[KeySchedule.SECRET_BYTES];
        long low = bytes.getLong();
        long high = bytes.getLong();
        bytes.get(multicast);
        return new DatagramSecrets(low, high, multicast);
    }

    /** Returns values for simulations, the same ones for a seed. */
    public static DatagramSecrets ofSeed(long seed) {
        byte[] multicast = ByteBuffer.allocate(KeySchedule.SECRET_BYTES).putLong(seed).putLong(~seed).array();
        return new DatagramSecrets(seed, seed * 31, multicast);
    }

    @Override
    public String toString() {
        return "secrets of a node";
    }
}
