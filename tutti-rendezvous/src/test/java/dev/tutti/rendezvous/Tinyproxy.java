package dev.tutti.rendezvous;

import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A proxy, the program of that name, on the loopback address. It lets nothing but CONNECT to one port through. */
final class Tinyproxy implements AutoCloseable {

    static final String PROGRAM = "/usr/bin/tinyproxy";

    private final Path log;
    private final Path configuration;
    private final int port;
    private Process process;

    /**
     * @param target port of the loopback address that it reaches
     * @param credentials user and password, with a blank between; empty for none
     * @param idleSeconds after which it cuts a connection that carries nothing
     */
    Tinyproxy(Path directory, int target, String credentials, int idleSeconds) throws IOException {
        port = Ports.lasting();
        log = directory.resolve("tinyproxy-" + port + ".log");
        configuration = directory.resolve("tinyproxy-" + port + ".conf");
        Files.writeString(configuration, """
                Port %d
                Listen 127.0.0.1
                Timeout %d
                LogFile "%s"
                LogLevel Connect
                MaxClients 200
                ConnectPort %d
                %s
                """.formatted(port, idleSeconds, log, target, credentials.isEmpty() ? "" : "BasicAuth " + credentials));
        process = begin();
    }

    void start() throws IOException {
        process = begin();
    }

    private Process begin() throws IOException {
        Process begun = new ProcessBuilder(PROGRAM, "-d", "-c", configuration.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Await.until("the proxy is open", () -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
        return begun;
    }

    /** Ends it, with all connections. */
    void stop() {
        process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }

    int port() {
        return port;
    }

    /** Returns the number of requests to connect that it has taken. */
    long connects() {
        try {
            return Files.readAllLines(log).stream().filter(line -> line.contains("CONNECT ")).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        stop();
    }
}
