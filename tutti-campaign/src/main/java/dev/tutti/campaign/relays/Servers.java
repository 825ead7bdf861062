package dev.tutti.campaign.relays;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Shell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The processes of the rendezvous servers. */
final class Servers implements AutoCloseable {

    private final NatNetwork network;
    private final Path directory;
    private final @Nullable Process[] processes = new Process[NatNetwork.SERVERS];

    Servers(NatNetwork network, Path directory) {
        this.network = network;
        this.directory = directory;
    }

    /** Starts a server, and waits until it accepts connections. */
    void start(int server) {
        List<String> command = Shell.java(
                network.serverPrefix(server),
                List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"),
                ServerProcess.class.getName(),
                List.of(NatNetwork.serverHost(server), Integer.toString(NatNetwork.SERVER_PORT)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(directory.resolve("server" + server + ".log").toFile()))
                    .start();
            processes[server] = process;
            BufferedReader output = process.inputReader();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.equals(ServerProcess.READY)) {
                    return;
                }
            }
            throw new ChaosException("server " + server + " has ended; see its log in " + directory);
        } catch (IOException e) {
            throw new UncheckedIOException("server " + server + " can't be started", e);
        }
    }

    /** Ends a server at once, with SIGKILL, and waits for its end. */
    void kill(int server) {
        Process process = processes[server];
        processes[server] = null;
        if (process != null) {
            process.destroyForcibly();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ChaosException("interrupted", e);
            }
        }
    }

    @Override
    public void close() {
        for (int server = 0; server < processes.length; server++) {
            kill(server);
        }
    }
}
