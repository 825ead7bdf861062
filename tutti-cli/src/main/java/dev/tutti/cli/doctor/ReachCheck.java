package dev.tutti.cli.doctor;

import dev.tutti.core.driver.TransportSettings;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Checks that the ports of other members take connections. */
final class ReachCheck implements Check {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int TIMEOUT_MILLIS_MAX = 5_000;

    @Override
    public String name() {
        return "reach";
    }

    @Override
    public Duration deadline() {
        return DEADLINE;
    }

    @Override
    public List<Finding> run(DoctorContext context) throws InterruptedException, ExecutionException {
        if (context.isUdp()) {
            context.open.addAll(context.peers);
            return List.of(Finding.ok(name(), "over UDP, by asking members (below)"));
        }
        int timeoutMillis = (int) Math.min(context.get(TransportSettings.CONNECT_TIMEOUT).toMillis(), TIMEOUT_MILLIS_MAX);
        Map<DoctorContext.Peer, Future<String>> attempts = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            context.peers.forEach(peer -> attempts.put(peer, threads.submit(() -> connect(peer, timeoutMillis))));
        }
        List<Finding> found = new ArrayList<>();
        Map<String, String> silentRanges = new LinkedHashMap<>();
        for (var attempt : attempts.entrySet()) {
            DoctorContext.Peer peer = attempt.getKey();
            String trouble = attempt.getValue().get();
            if (trouble.isEmpty()) {
                context.open.add(peer);
            } else if (peer.seed().isRange()) {
                silentRanges.putIfAbsent(peer.seed().host(), trouble);
            } else {
                found.add(fault(peer.toString(), peer, trouble));
            }
        }
        silentRanges.forEach((host, trouble) -> {
            List<DoctorContext.Peer> range = context.peers.stream().filter(peer -> peer.seed().host().equals(host)).toList();
            if (context.open.stream().anyMatch(peer -> peer.seed().host().equals(host))) {
                return;
            }
            String ports = host + ":" + range.getFirst().seed().port() + "-" + range.getLast().seed().port();
            found.add(
                    context.isExpected || !trouble.equals(REFUSED)
                            ? fault(ports, range.getFirst(), trouble)
                            : Finding.note(name(), "nobody runs at " + ports, "name others: --seed HOST:PORT"));
        });
        if (!context.open.isEmpty()) {
            found.add(Finding.ok(name(), "connections are taken by "
                    + String.join(", ", context.open.stream().map(DoctorContext.Peer::toString).toList())));
        }
        return found;
    }

    private static final String REFUSED = "refused";
    private static final String SILENT = "silent";

    /** Returns the kind of failure; empty if the peer takes connections. */
    private static String connect(DoctorContext.Peer peer, int timeoutMillis) {
        try (Socket socket = new Socket()) {
            socket.connect(peer.socket(), timeoutMillis);
            return "";
        } catch (SocketTimeoutException e) {
            return SILENT;
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            return message.contains("refused") ? REFUSED : message;
        }
    }

    private Finding fault(String where, DoctorContext.Peer peer, String trouble) {
        int port = peer.seed().port();
        return switch (trouble) {
            case REFUSED -> Finding.fault(
                    name(),
                    where + ": nobody listens at that port",
                    "start the node there, check its bind.port and that its bind.address is not loopback (there: ss -ltn)");
            case SILENT -> Finding.fault(
                    name(),
                    where + " does not answer: a firewall drops what goes to port " + port + ", or the machine is off",
                    "allow it there, as root: firewall-cmd --add-port=" + port + "/tcp, or nft add rule inet filter input tcp dport "
                            + port + " accept, or ufw allow " + port + "/tcp");
            default -> Finding.fault(
                    name(),
                    where + " can't be reached: " + trouble,
                    "ip route get " + peer.address().getHostAddress() + " shows the way; the machine may be off, or a firewall reject");
        };
    }
}
