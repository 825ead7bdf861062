package dev.tutti.study.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports on loopback for processes that are started soon, and again after a kill. */
final class Ports {

    private static final int PORT_MIN = 20_000;
    private static final int PORT_MAX = 31_000;
    private static final int ATTEMPTS_MAX = 1_000;

    private Ports() {}

    /** Returns different ports that are free now, below the range of Linux for outgoing connections. */
    static List<Integer> free(int count) {
        List<Integer> ports = new ArrayList<>();
        for (int attempt = 0; attempt < ATTEMPTS_MAX && ports.size() < count; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                if (!ports.contains(socket.getLocalPort())) {
                    ports.add(port);
                }
            } catch (IOException e) {
                // The port is in use; the next one may be free.
                continue;
            }
        }
        if (ports.size() < count) {
            throw new StudyException("no " + count + " free ports between " + PORT_MIN + " and " + PORT_MAX);
        }
        return ports;
    }
}
