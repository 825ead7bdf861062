package dev.tutti.campaign.grid;

import dev.tutti.campaign.host.ChaosException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * A connection of TCP from this process to itself, with nothing of tutti: a time goes through it a hundred times a second. How late it comes is
 * what the machine does to a message, whoever sends it.
 */
final class BareSocket {

    private static final long INTERVAL_NANOS = Duration.ofMillis(10).toNanos();

    private BareSocket() {}

    /** @param micros is told the time under way of each message, by a thread of its own */
    static void open(LongConsumer micros) throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket sender = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket receiver = server.accept();
        server.close();
        sender.setTcpNoDelay(true);
        start("sends", () -> send(sender));
        start("receives", () -> receive(receiver, micros));
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(String name, Task task) {
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                task.run();
            } catch (IOException e) {
                throw new ChaosException("a bare socket on loopback is broken", e);
            }
        });
    }

    private static void send(Socket sender) throws IOException {
        DataOutputStream out = new DataOutputStream(sender.getOutputStream());
        for (long due = System.nanoTime(); ; due += INTERVAL_NANOS) {
            for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                LockSupport.parkNanos(due - now);
            }
            out.writeLong(due);
        }
    }

    private static void receive(Socket receiver, LongConsumer micros) throws IOException {
        DataInputStream in = new DataInputStream(receiver.getInputStream());
        while (true) {
            long sent = in.readLong();
            micros.accept((System.nanoTime() - sent) / 1000);
        }
    }
}
