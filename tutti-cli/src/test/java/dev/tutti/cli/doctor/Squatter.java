package dev.tutti.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Holds a port that others may want. */
final class Squatter {

    private Squatter() {}

    /** Arguments: address and port. */
    public static void main(String[] arguments) throws IOException {
        try (ServerSocket socket = new ServerSocket(Integer.parseInt(arguments[1]), 1, InetAddress.ofLiteral(arguments[0]))) {
            System.out.println("listens on " + socket.getLocalSocketAddress());
            while (System.in.read() >= 0) {
                // Runs until the process that started it is gone.
            }
        }
    }
}
