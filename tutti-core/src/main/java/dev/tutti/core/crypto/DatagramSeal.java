package dev.tutti.core.crypto;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Encryption and authentication of the datagrams of one sender to one receiver, or of one sender to all, by AES-256 in
 * GCM. Both ends make a seal from the same secret; one of them seals with it, the other one opens.
 *
 * <p>Each datagram has a number, which the sender never uses again: the nonce is a fixed value of the key xor the
 * number, as in TLS 1.3. The high bits of the number are the generation of the key: after {@link #GENERATION} datagrams
 * a key is replaced by one that is derived from the secret of the generation, which is then forgotten. The receiver
 * keeps the key of the generation before, for datagrams that were overtaken.
 *
 * <p>For one thread at a time.
 */
public final class DatagramSeal {

    /** Bytes that a sealed datagram is longer. */
    public static final int TAG_BYTES = 16;

    private static final int GENERATION_BITS = 20;

    /**
     * Datagrams per key: 2^20 of 64 KiB are 2^32 blocks, for which the chance of telling the cipher from a random
     * function is below 2^-64 (RFC 9001, appendix B).
     */
    public static final long GENERATION = 1L << GENERATION_BITS;

    /** Keys of one generation. */
    private static final class Generation {

        private static final int NONCE_BYTES = 12;

        final long number;
        private final SecretKey key;
        private final byte[] mask;
        private final byte[] nonce = new byte[NONCE_BYTES];
        private final Cipher cipher;

        Generation(long number, byte[] secret) {
            this.number = number;
            this.key = new SecretKeySpec(KeySchedule.derive(secret, "datagram key", KeySchedule.SECRET_BYTES), "AES");
            this.mask = KeySchedule.derive(secret, "datagram nonce", NONCE_BYTES);
            try {
                this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java platform has no AES/GCM", e);
            }
        }

        Cipher begin(int mode, long datagram, ByteBuffer header) throws GeneralSecurityException {
            System.arraycopy(mask, 0, nonce, 0, NONCE_BYTES);
            for (int index = 0; index < Long.BYTES; index++) {
                nonce[NONCE_BYTES - 1 - index] ^= (byte) (datagram >>> 8 * index);
            }
            cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
            cipher.updateAAD(header);
            return cipher;
        }
    }

    /** Secret of the generation after {@link #latest}. */
    private byte[] nextSecret;

    private Generation latest;
    private @Nullable Generation before;

    /** Generation after {@link #latest}, of which no datagram has been opened yet. */
    private @Nullable Generation candidate;

    /** Work space, as long as the longest datagram so far. */
    private byte[] scratch = {};

    /**
     * @param secret {@link KeySchedule#SECRET_BYTES} that only the two ends know
     */
    public DatagramSeal(byte[] secret) {
        this.latest = new Generation(0, secret);
        this.nextSecret = next(secret);
    }

    private static byte[] next(byte[] secret) {
        return KeySchedule.derive(secret, "datagram update", KeySchedule.SECRET_BYTES);
    }

    // ------------------------------------------------------------------ sealing

    /**
     * Encrypts a datagram in place and appends the tag.
     *
     * @param number above that of all datagrams that were sealed before
     * @param headerBytes first bytes of the datagram, which are authenticated and stay readable
     */
    public void seal(long number, Packet datagram, int headerBytes) {
        int start = datagram.offset() + headerBytes;
        int length = datagram.length() - headerBytes;
        ByteBuffer content = range(datagram, start, length);
        ByteBuffer sealed = range(datagram, start, length + TAG_BYTES);
        encrypt(number, range(datagram, datagram.offset(), headerBytes), content, sealed);
        datagram.grow(TAG_BYTES);
    }

    /**
     * Appends the encrypted {@code content} and the tag to a datagram that has a header so far, which is authenticated.
     *
     * @param number above that of all datagrams that were sealed before
     */
    public void append(long number, Packet datagram, Packet content) {
        int length = content.length();
        ByteBuffer sealed = range(datagram, datagram.offset() + datagram.length(), length + TAG_BYTES);
        ByteBuffer header = range(datagram, datagram.offset(), datagram.length());
        encrypt(number, header, range(content, content.offset(), length), sealed);
        datagram.grow(length + TAG_BYTES);
    }

    private void encrypt(long number, ByteBuffer header, ByteBuffer content, ByteBuffer sealed) {
        if (number >>> GENERATION_BITS != latest.number) {
            if (number >>> GENERATION_BITS != latest.number + 1) {
                throw new IllegalStateException(
                        "datagram " + number + " is sealed with the key of generation " + latest.number);
            }
            advance(new Generation(latest.number + 1, nextSecret));
        }
        try {
            int length = content.remaining();
            byte[] bytes = scratch(length + TAG_BYTES);
            content.get(bytes, 0, length);
            int written = latest.begin(Cipher.ENCRYPT_MODE, number, header).doFinal(bytes, 0, length, bytes, 0);
            sealed.put(bytes, 0, written);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("datagram " + number + " can't be sealed", e);
        }
    }

    // ------------------------------------------------------------------ opening

    /**
     * Checks and decrypts a datagram in place, and takes off the tag.
     *
     * @param takenBytes bytes of the header, which have been taken from the datagram
     * @return false if it is not authentic, or of a key that is not kept; its content is undefined then
     */
    public boolean open(long number, Packet datagram, int takenBytes) {
        int length = datagram.length();
        Generation generation = generation(number >>> GENERATION_BITS);
        if (generation == null || length < TAG_BYTES) {
            return false;
        }
        ByteBuffer header = range(datagram, datagram.offset() - takenBytes, takenBytes);
        byte[] bytes = scratch(length);
        range(datagram, datagram.offset(), length).get(bytes, 0, length);
        try {
            int written = generation.begin(Cipher.DECRYPT_MODE, number, header).doFinal(bytes, 0, length, bytes, 0);
            range(datagram, datagram.offset(), length - TAG_BYTES).put(bytes, 0, written);
        } catch (AEADBadTagException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("datagram " + number + " can't be opened", e);
        }
        if (generation == candidate) {
            candidate = null;
            advance(generation);
        }
        datagram.shorten(length - TAG_BYTES);
        return true;
    }

    /** Returns an array of at least this length. The cipher is faster on arrays than on memory outside of the heap, by more than two copies. */
    private byte[] scratch(int length) {
        if (scratch.length < length) {
            scratch = new byte[length];
        }
        return scratch;
    }

    private @Nullable Generation generation(long wanted) {
        if (wanted == latest.number) {
            return latest;
        }
        Generation older = before;
        if (older != null && wanted == older.number) {
            return older;
        }
        if (wanted != latest.number + 1) {
            return null;
        }
        Generation next = candidate;
        if (next == null) {
            next = new Generation(wanted, nextSecret);
            candidate = next;
        }
        return next;
    }

    private void advance(Generation generation) {
        before = latest;
        latest = generation;
        nextSecret = next(nextSecret);
    }

    /** Returns a view of a range: the memory's own position and limit stay as they are, since others may read it. */
    private static ByteBuffer range(Packet packet, int offset, int length) {
        return packet.bytes().duplicate().limit(offset + length).position(offset);
    }
}
