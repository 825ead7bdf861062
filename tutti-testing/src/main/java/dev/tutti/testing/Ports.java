package dev.tutti.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of the loopback address for servers that tests end and start again, or that other processes open. */
public final class Ports {

    /** Below the range from which the system takes ports of its own: 32768 on Linux. */
    private static final int FIRST = 20_000;

    private static final int LAST = 32_700;
    private static final int ATTEMPTS_MAX = 100;

    private Ports() {}

    /**
     * Returns a port that is free, and that no connection and no server gets that lets the system choose one. A port that
     * the system has chosen is given to somebody else as soon as its server has ended, for example to the connection of a
     * client that dials the server meanwhile.
     *
     * @throws IOException if none was found
     */
    public static int lasting() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // It is in use: another one is tried.
            }
        }
        throw new IOException(ATTEMPTS_MAX + " ports from " + FIRST + " to " + LAST + " are in use");
    }
}
