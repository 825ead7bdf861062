package dev.tutti.cli.doctor;

import dev.tutti.Node;
import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Checks that each rendezvous server answers, and lets this node in. */
final class RendezvousCheck implements Check {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int SHOWN_MAX = 5;

    @Override
    public String name() {
        return "rendezvous";
    }

    @Override
    public Duration deadline() {
        return DEADLINE;
    }

    @Override
    public List<Finding> run(DoctorContext context) {
        List<Finding> findings = new ArrayList<>();
        for (String server : context.get(RendezvousSettings.SERVERS)) {
            findings.add(ask(context, server));
        }
        return findings;
    }

    private Finding ask(DoctorContext context, String server) {
        // A source that lists nodes itself would list this command.
        Settings settings = context.spec.node()
                .with(RendezvousSettings.SERVERS, List.of(server))
                .with(RendezvousSettings.RELAY, RendezvousSettings.Relay.AUTO);
        String cluster = context.get(TransportSettings.CLUSTER);
        try (DiscoverySource source = provider().open(settings).orElseThrow()) {
            source.start(new NodeEntry(cluster, "doctor", ""));
            // The probe of the doctor is listed, too.
            Node probe = context.probe;
            String own = probe == null ? "" : probe.address();
            List<String> nodes = source.addresses().stream().filter(node -> !node.equals(own)).toList();
            String shown = String.join(", ", nodes.subList(0, Math.min(SHOWN_MAX, nodes.size()))) + (nodes.size() > SHOWN_MAX ? ", ..." : "");
            return Finding.ok(name(), server + " answers, and lists "
                    + (nodes.isEmpty() ? "no node of cluster " + cluster + " at present" : nodes.size() + " nodes of cluster " + cluster + ": " + shown));
        } catch (IOException e) {
            return fault(server, cluster, String.valueOf(e.getMessage()));
        }
    }

    private Finding fault(String server, String cluster, String trouble) {
        String advice;
        if (trouble.contains("the proxy ")) {
            advice = "rendezvous.proxy has the user and the password for the proxy, http://user:password@host:port, and the proxy has to allow"
                    + " CONNECT to the server's port";
        } else if (trouble.contains("HTTP 401") || trouble.contains("HTTP 403")) {
            advice = "rendezvous.token-file names the file with the token of cluster " + cluster + ", which the server's operator has";
        } else if (trouble.contains("certif") || trouble.contains("TLS") || trouble.contains("SSL")) {
            advice = "rendezvous.authority names the file with the authority of the server's certificate; tcp:// and ws:// are without TLS";
        } else if (trouble.contains("HTTP")) {
            advice = "it may be another kind of server; 'tutti rendezvous' prints its URLs";
        } else {
            advice = "start 'tutti rendezvous' there, and allow its port in firewalls; on the way through a proxy set rendezvous.proxy, and use"
                    + " wss:// if it lets nothing else through";
        }
        return Finding.fault(name(), server + ": " + trouble, advice);
    }

    private static DiscoveryProvider provider() {
        return ServiceLoader.load(DiscoveryProvider.class, RendezvousCheck.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.kind().equals("rendezvous"))
                .findFirst()
                .orElseThrow();
    }
}
