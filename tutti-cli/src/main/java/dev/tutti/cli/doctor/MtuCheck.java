package dev.tutti.cli.doctor;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks that large packets arrive where small ones do. A member closes a connection that begins with invalid bytes,
 * which shows that these have arrived: first a few, then enough to fill packets. Members log that, once a minute.
 */
final class MtuCheck implements Check {

    private static final int PATIENCE_MILLIS = 1_200;
    private static final int LITTLE = 64;
    private static final int MUCH = 16_384;
    private static final int PEERS_MAX = 3;

    /** Size of the headers of IPv4 and of TCP with timestamps. */
    private static final int HEADERS = 52;

    @Override
    public String name() {
        return "mtu";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(60);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws IOException {
        List<Finding> found = new ArrayList<>();
        if (context.isUdp()) {
            return List.of(Finding.ok(name(), "over UDP nodes find out themselves (transport.datagram-size)"));
        }
        List<DoctorContext.Peer> some = context.open.stream().limit(PEERS_MAX).toList();
        for (DoctorContext.Peer peer : some) {
            if (!arrivesInTwo(peer, LITTLE)) {
                found.add(Finding.note(name(), peer + " does not end a connection that makes no sense", "is it a node of tutti?"));
            } else if (!arrivesInTwo(peer, MUCH)) {
                found.add(hole(peer));
            }
        }
        if (found.isEmpty()) {
            found.add(Finding.ok(name(), some.isEmpty() ? "nobody to send to" : "large packets arrive"));
        }
        return found;
    }

    private Finding hole(DoctorContext.Peer peer) throws IOException {
        int arrived = LITTLE;
        int lost = 1_460;
        while (lost - arrived > 16) {
            int middle = (arrived + lost) / 2;
            if (arrivesInTwo(peer, middle)) {
                arrived = middle;
            } else {
                lost = middle;
            }
        }
        int mtu = arrived + HEADERS;
        return Finding.fault(
                name(),
                "packets of more than about " + mtu + " bytes to " + peer + " vanish without a word (a black hole: a tunnel or VPN on"
                        + " the way with a smaller MTU, and ICMP filtered)",
                "as root, here and there: ip link set dev INTERFACE mtu " + mtu
                        + ", or sysctl -w net.ipv4.tcp_mtu_probing=1; or let ICMP 'fragmentation needed' pass");
    }

    /** Tries twice, because one attempt may fail for another reason. */
    private static boolean arrivesInTwo(DoctorContext.Peer peer, int bytes) throws IOException {
        boolean hasArrived = arrives(peer, bytes);
        return hasArrived || arrives(peer, bytes);
    }

    /** Returns whether this number of bytes has arrived, sent at once. */
    private static boolean arrives(DoctorContext.Peer peer, int bytes) throws IOException {
        byte[] nonsense = new byte[bytes];
        Arrays.fill(nonsense, (byte) 0xff);
        try (Socket socket = new Socket()) {
            socket.connect(peer.socket(), PATIENCE_MILLIS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(PATIENCE_MILLIS);
            OutputStream out = socket.getOutputStream();
            out.write(nonsense);
            while (socket.getInputStream().read(nonsense) >= 0) {
                // Skips whatever the peer sends before it closes the connection.
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            // The peer has reset the connection: it had to read the bytes before.
            return true;
        }
    }
}
