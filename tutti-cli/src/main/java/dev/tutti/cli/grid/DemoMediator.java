package dev.tutti.cli.grid;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.internal.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process with a mediator: this program again, with the command {@code mediator}. It ends when this process does, however that ends. */
final class DemoMediator implements AutoCloseable {

    private static final int CLOSE_SECONDS_MAX = 5;

    private final Place place;
    private final Path log;
    private final Process process;
    private volatile URI url = URI.create("");

    /**
     * Name and ports of a mediator.
     *
     * @param port of its node
     * @param bridge port of its bridge node, when it is a master
     */
    record Place(String site, String name, int port, int bridge) {

        static Place of(String site, String name) {
            return new Place(site, name, freePort(), freePort());
        }

        private static int freePort() {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                throw new UncheckedIOException("no free port was found", e);
            }
        }
    }

    private DemoMediator(Place place, Path log, Process process) {
        this.place = place;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts one.
     *
     * @param all places of the grid, this one too
     */
    static DemoMediator start(String grid, Place place, List<Place> all, Path directory) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.tutti.cli.Tutti",
                "mediator",
                "--json",
                "--until-input-ends",
                "--grid=" + grid,
                "--port=0",
                "--site=" + place.site,
                "--seed=" + String.join(",", all.stream()
                        .filter(each -> each.site.equals(place.site))
                        .map(each -> "127.0.0.1:" + each.port)
                        .toList()),
                "--bridge-port=" + place.bridge,
                "--bridge-seed=" + String.join(",", all.stream().map(each -> "127.0.0.1:" + each.bridge).toList())));
        command.addAll(List.of("-D", "name=" + place.name, "-D", "bind.port=" + place.port));
        Path log = directory.resolve(place.name + ".log");
        try {
            return new DemoMediator(place, log, new ProcessBuilder(command).redirectError(log.toFile()).start());
        } catch (IOException e) {
            throw new CommandException("mediator " + place.name + " can't be started: " + e.getMessage(), e);
        }
    }

    /** Waits until it can be used. */
    void awaitReady() {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        try {
            String line = lines.readLine();
            while (line != null && !(Json.parse(line) instanceof Map<?, ?> event && event.get("url") instanceof String address && isKnown(address))) {
                line = lines.readLine();
            }
            if (line == null) {
                throw new CommandException("mediator " + place.name + " has ended; " + log + " says why");
            }
        } catch (IOException e) {
            throw new CommandException("mediator " + place.name + " can't be heard: " + e.getMessage(), e);
        }
        // Its pipe must not fill.
        Thread.ofVirtual().start(() -> lines.lines().forEach(each -> {}));
    }

    private boolean isKnown(String address) {
        url = URI.create(address);
        return true;
    }

    String name() {
        return place.name;
    }

    URI url() {
        return url;
    }

    /** Kills it with SIGKILL: it tells nobody. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }
}
