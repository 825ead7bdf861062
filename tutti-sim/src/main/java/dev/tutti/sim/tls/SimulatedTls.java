package dev.tutti.sim.tls;

import dev.tutti.core.crypto.KeySchedule;
import dev.tutti.core.driver.Credentials;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Stand-in for the TLS of one run of a node: the flights of a mutual handshake of TLS 1.3, in number and size, without
 * its cryptography. Two ends of the same authority get the same secrets; others refuse each other as TLS does: the
 * client after the server's flight, the server after that of the client.
 */
public final class SimulatedTls {

    /** Takes what a handshake leads to. */
    public interface Sink {

        /** Sends bytes to the other end. */
        void onBytes(long connection, byte[] bytes);

        void onSecured(long connection, byte[] sendSecret, byte[] receiveSecret, Credentials credentials);

        void onFailed(long connection, String detail);
    }

    private record Names(String subject) implements Credentials {

        @Override
        public String key() {
            return "key of " + subject;
        }

        @Override
        public @Nullable String objection(String name, String address) {
            return name.equals(subject) ? null : "the certificate is of " + subject;
        }
    }

    private static final class Handshake {

        final boolean isClient;
        byte[] bytes = new byte[0];
        String transcript = "";
        boolean isOver;

        Handshake(boolean isClient) {
            this.isClient = isClient;
        }
    }

    private static final int HELLO = 1;
    private static final int SERVER = 2;
    private static final int FINISHED = 3;
    private static final int ALERT = 4;
    private static final int HEAD_BYTES = 4;
    private static final int RANDOM_BYTES = 16;
    private static final int HELLO_BYTES = 450;
    private static final int CERTIFICATE_BYTES = 1_600;

    private final String name;
    private final String authority;
    private final SplittableRandom random;
    private final Sink sink;
    private final TreeMap<Long, Handshake> handshakes = new TreeMap<>();

    /**
     * @param name name in the certificate of the node
     * @param authority authority that has signed it, and the only one that the node trusts
     */
    public SimulatedTls(String name, String authority, SplittableRandom random, Sink sink) {
        this.name = name;
        this.authority = authority;
        this.random = random;
        this.sink = sink;
    }

    public void begin(long connection, boolean isClient) {
        Handshake handshake = new Handshake(isClient);
        handshakes.put(connection, handshake);
        if (isClient) {
            send(connection, handshake, HELLO, "", HELLO_BYTES);
        }
    }

    public void end(long connection) {
        handshakes.remove(connection);
    }

    /** Takes the next bytes of the other end. Any bytes are allowed. */
    public void onBytes(long connection, byte[] bytes) {
        Handshake handshake = handshakes.get(connection);
        if (handshake == null || handshake.isOver) {
            return;
        }
        byte[] all = Arrays.copyOf(handshake.bytes, handshake.bytes.length + bytes.length);
        System.arraycopy(bytes, 0, all, handshake.bytes.length, bytes.length);
        handshake.bytes = all;
        while (!handshake.isOver && handshake.bytes.length >= HEAD_BYTES) {
            ByteBuffer head = ByteBuffer.wrap(handshake.bytes);
            int kind = head.getShort();
            int length = head.getShort() & 0xffff;
            if (handshake.bytes.length < HEAD_BYTES + length) {
                return;
            }
            byte[] body = Arrays.copyOfRange(handshake.bytes, HEAD_BYTES, HEAD_BYTES + length);
            handshake.bytes =
                    Arrays.copyOfRange(handshake.bytes, HEAD_BYTES + length, handshake.bytes.length);
            take(connection, handshake, kind, body);
        }
    }

    private void take(long connection, Handshake handshake, int kind, byte[] body) {
        handshake.transcript += kind + HexFormat.of().formatHex(body);
        String[] texts = texts(body);
        if (kind == HELLO && !handshake.isClient) {
            send(connection, handshake, SERVER, name + "\n" + authority, CERTIFICATE_BYTES);
        } else if (kind == SERVER && handshake.isClient && isTrusted(connection, handshake, texts)) {
            send(connection, handshake, FINISHED, name + "\n" + authority, CERTIFICATE_BYTES);
            secure(connection, handshake, texts[0]);
        } else if (kind == FINISHED && !handshake.isClient && isTrusted(connection, handshake, texts)) {
            secure(connection, handshake, texts[0]);
        } else if (!handshake.isOver) {
            fail(connection, handshake, kind == ALERT ? "it does not trust the certificate of this node" : "garbage");
        }
    }

    private boolean isTrusted(long connection, Handshake handshake, String[] texts) {
        if (texts.length == 2 && texts[1].equals(authority)) {
            return true;
        }
        send(connection, handshake, ALERT, "", RANDOM_BYTES);
        fail(connection, handshake, "its certificate is not signed by an authority that is trusted here");
        return false;
    }

    private void secure(long connection, Handshake handshake, String subject) {
        handshake.isOver = true;
        byte[] root = Arrays.copyOf(authority.getBytes(StandardCharsets.UTF_8), KeySchedule.SECRET_BYTES);
        String of = handshake.transcript;
        byte[] client = KeySchedule.derive(root, "client " + of, KeySchedule.SECRET_BYTES);
        byte[] server = KeySchedule.derive(root, "server " + of, KeySchedule.SECRET_BYTES);
        sink.onSecured(
                connection,
                handshake.isClient ? client : server,
                handshake.isClient ? server : client,
                new Names(subject));
    }

    private void fail(long connection, Handshake handshake, String detail) {
        handshake.isOver = true;
        sink.onFailed(connection, detail);
    }

    private void send(long connection, Handshake handshake, int kind, String text, int length) {
        byte[] body = new byte[length];
        byte[] drawn = new byte[RANDOM_BYTES];
        random.nextBytes(drawn);
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer.wrap(body).put(drawn).put(encoded, 0, Math.min(encoded.length, length - RANDOM_BYTES));
        handshake.transcript += kind + HexFormat.of().formatHex(body);
        sink.onBytes(
                connection,
                ByteBuffer.allocate(HEAD_BYTES + length).putShort((short) kind).putShort((short) length).put(body).array());
    }

    private static String[] texts(byte[] body) {
        int from = Math.min(RANDOM_BYTES, body.length);
        return new String(body, from, body.length - from, StandardCharsets.UTF_8).replace("\0", "").split("\n", -1);
    }
}
