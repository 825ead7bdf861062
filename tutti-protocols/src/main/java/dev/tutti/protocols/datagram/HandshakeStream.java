package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.protocols.datagram.recovery.Recovery;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a TLS handshake in both directions, before a connection has keys. A handshake is a few flights of a few
 * datagrams, so that loss needs little: chunks are taken in order only, and all that is not acknowledged is sent again
 * after 30 ms, doubling to 500 ms.
 *
 * <p>Nothing here is authentic yet. Forged chunks make the handshake fail, which costs the dialling side a retry.
 */
final class HandshakeStream {

    /** Bytes of a handshake in one direction: chains of certificates have some KiB. */
    static final int BYTES_MAX = 64 * 1024;

    private static final long MILLISECOND = 1_000_000;
    private static final long RETRY_NANOS = 30 * MILLISECOND;
    private static final long RETRY_NANOS_MAX = 500 * MILLISECOND;

    /** Bytes that may be under way. */
    private static final int WINDOW_BYTES = 16 * 1024;

    private static final int CHUNK_BYTES = DatagramLimits.DATAGRAM_BYTES_MIN - Datagrams.HANDSHAKE_HEADER_BYTES;

    private final Memory memory;
    private byte[] written = new byte[2 * 1024];
    private int end;
    private int acknowledged;
    private int sent;
    private int received;
    private boolean isAckDue;
    private long retryNanos = Recovery.NEVER;
    private int attempts;

    HandshakeStream(Memory memory) {
        this.memory = memory;
    }

    /** Appends bytes to be sent; returns false if there are more than {@link #BYTES_MAX}. */
    boolean write(byte[] bytes, long nowNanos) {
        if (bytes.length > BYTES_MAX - end) {
            return false;
        }
        if (end + bytes.length > written.length) {
            written = Arrays.copyOf(written, Math.max(2 * written.length, end + bytes.length));
        }
        System.arraycopy(bytes, 0, written, end, bytes.length);
        end += bytes.length;
        restart(nowNanos);
        return true;
    }

    private void restart(long nowNanos) {
        attempts = 0;
        retryNanos = acknowledged == end ? Recovery.NEVER : nowNanos + RETRY_NANOS;
    }

    /**
     * Takes a chunk, of which the id has been read. The datagram then holds only the bytes that are new.
     *
     * @return false if it is malformed
     */
    boolean onChunk(Packet datagram, long nowNanos) {
        int ack = datagram.takeInt();
        int offset = datagram.takeInt();
        if (datagram.isMalformed() || ack < 0 || ack > end || offset < 0 || offset > BYTES_MAX - datagram.length()) {
            return false;
        }
        if (ack > acknowledged) {
            acknowledged = ack;
            sent = Math.max(sent, ack);
            restart(nowNanos);
        }
        isAckDue |= !datagram.isEmpty();
        int known = received - offset;
        if (known < 0) {
            datagram.shorten(0);
        } else {
            datagram.skip(Math.min(known, datagram.length()));
        }
        received += datagram.length();
        return true;
    }

    /** Returns the next datagram that is due, to be sealed and sent; null if there is none. */
    @Nullable Packet poll(long remoteId, long nowNanos) {
        if (retryNanos <= nowNanos) {
            sent = acknowledged;
            retryNanos = nowNanos + Math.min(RETRY_NANOS << Math.min(attempts, 5), RETRY_NANOS_MAX);
            attempts++;
        }
        int length = Math.min(end, acknowledged + WINDOW_BYTES) - sent;
        if (length <= 0 && !isAckDue) {
            return null;
        }
        length = Math.clamp(length, 0, CHUNK_BYTES);
        Packet datagram = Packet.of(memory.acquire(Datagrams.HANDSHAKE_HEADER_BYTES + length), 0, 0)
                .appendInt(0)
                .appendByte(Datagrams.HANDSHAKE)
                .appendLong(remoteId)
                .appendInt(received)
                .appendInt(sent)
                .append(written, sent, length);
        sent += length;
        isAckDue = false;
        return datagram;
    }

    /** Returns the time at which {@link #poll} returns something. */
    long deadlineNanos() {
        return retryNanos;
    }

    /** Ends the sending: the other side has proven that it has everything. */
    void onConfirmed() {
        acknowledged = end;
        sent = end;
        retryNanos = Recovery.NEVER;
    }
}
