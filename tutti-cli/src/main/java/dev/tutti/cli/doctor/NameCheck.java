package dev.tutti.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Checks that the host names of seeds resolve to addresses. */
final class NameCheck implements Check {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Path RESOLVER = Path.of("/etc/resolv.conf");
    private static final int NAMES_MAX = 10;

    @Override
    public String name() {
        return "names";
    }

    @Override
    public Duration deadline() {
        return PATIENCE.multipliedBy(NAMES_MAX + 1);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws InterruptedException, IOException {
        List<Finding> found = new ArrayList<>();
        Map<String, List<InetAddress>> known = new LinkedHashMap<>();
        for (DoctorContext.Seed seed : context.seeds()) {
            List<InetAddress> addresses = known.get(seed.host());
            if (addresses == null && known.size() < NAMES_MAX) {
                addresses = resolve(seed.host(), found);
                known.put(seed.host(), addresses);
            }
            if (addresses != null && !addresses.isEmpty()) {
                context.peers.add(new DoctorContext.Peer(seed, addresses.getFirst()));
            }
        }
        if (known.isEmpty()) {
            found.add(Finding.note(name(), "no seeds: a node waits to be found", "name others: --seed HOST:PORT, discovery.seeds"));
        } else if (found.isEmpty()) {
            found.add(Finding.ok(name(), String.join(", ", known.keySet()) + (known.size() == 1 ? " has" : " have") + " addresses"));
        }
        return found;
    }

    private List<InetAddress> resolve(String host, List<Finding> found) throws InterruptedException, IOException {
        CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        answer.complete(List.of(InetAddress.getAllByName(host)));
                    } catch (UnknownHostException e) {
                        answer.completeExceptionally(e);
                    }
                },
                "tutti-doctor-name");
        thread.setDaemon(true);
        thread.start();
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            found.add(silent(host, "no answer within " + Doctor.seconds(PATIENCE)));
        } catch (ExecutionException e) {
            String message = String.valueOf(e.getMessage());
            found.add(
                    message.contains("Temporary failure")
                            ? silent(host, "DNS gives no answer")
                            : Finding.fault(
                                    name(),
                                    "there is no host '" + host + "'",
                                    "correct discovery.seeds, or add it to DNS or /etc/hosts"));
        }
        return List.of();
    }

    private Finding silent(String host, String what) throws IOException {
        List<String> servers = Files.isReadable(RESOLVER)
                ? Files.readAllLines(RESOLVER).stream()
                        .filter(line -> line.startsWith("nameserver"))
                        .map(line -> line.substring("nameserver".length()).strip())
                        .toList()
                : List.of();
        return Finding.fault(
                name(),
                "the address of '" + host + "' is not known: " + what + (servers.isEmpty() ? "" : " from " + String.join(", ", servers)),
                "check the nameserver in " + RESOLVER + " (resolvectl status), or write addresses into discovery.seeds");
    }
}
