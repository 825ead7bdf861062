package dev.tutti.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Allowed dependencies between modules: the arrows of docs/ARCHITECTURE.md and no other. A module that is not in the
 * table may see nothing, so that a new one has to be added here.
 */
final class Modules {

    static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            Map.entry("address", Set.of()),
            Map.entry("core", Set.of()),
            Map.entry("protocols", Set.of("core")),
            Map.entry("netty", Set.of("core", "address")),
            Map.entry("local", Set.of("core")),
            Map.entry("testing", Set.of()),
            Map.entry("sim", Set.of("core")),
            // Simulated clusters of the protocols and of applications on the API, and real processes; a database that both start is of testing.
            Map.entry("campaign", Set.of("core", "protocols", "sim", "testkit", "announce", "api", "balancer", "blocks", "layers", "metrics", "sites", "tomcat", "grid", "rendezvous", "testing")),
            // It runs the API itself in virtual time, and reads what packets hold.
            Map.entry("testkit", Set.of("core", "sim", "protocols", "api")),
            Map.entry("config", Set.of("core")),
            Map.entry("api", Set.of("core", "address", "protocols")),
            Map.entry("blocks", Set.of("core", "api")),
            Map.entry("codecs", Set.of("blocks")),
            // It reads JSON, and private files, as the API does.
            Map.entry("discovery", Set.of("core", "api")),
            Map.entry("metrics", Set.of("core", "address", "api")),
            // It counts the messages of packets, and asks a group for its order.
            Map.entry("layers", Set.of("core", "protocols")),
            Map.entry("sites", Set.of("core", "api", "blocks")),
            Map.entry("grid", Set.of("core", "address", "api", "blocks", "look", "netty", "sites")),
            // Its servers have the loops, tokens and certificates of mediators.
            Map.entry("grid.bridges", Set.of("api", "grid", "stomp")),
            Map.entry("announce", Set.of("core", "api")),
            Map.entry("jgroups", Set.of("core", "api", "blocks")),
            // It has the loops, tokens and certificates of rendezvous servers.
            Map.entry("balancer", Set.of("core", "address", "announce", "api", "netty")),
            Map.entry("tomcat", Set.of("core", "announce", "api", "blocks", "sites")),
            // Its certificates are read again by the code that nodes use.
            Map.entry("stomp", Set.of("core", "address", "api", "netty")),
            Map.entry("stomp.client", Set.of()),
            Map.entry("rendezvous", Set.of("core", "address", "api", "netty")),
            // The look of pages.
            Map.entry("look", Set.of()),
            Map.entry("console", Set.of("core", "address", "api", "blocks", "look")),
            Map.entry("draw", Set.of("core", "api", "stomp")),
            // A manager reads the file of its node.
            Map.entry("jcache", Set.of("core", "api", "blocks", "config")),
            Map.entry("jetty", Set.of("core", "api", "blocks")),
            Map.entry("undertow", Set.of("core", "api", "blocks")),
            // The command line makes certificates, which only the TLS code knows how to.
            Map.entry("cli", Set.of("core", "address", "api", "balancer", "blocks", "config", "grid", "jgroups", "metrics", "netty", "stomp", "draw", "console", "rendezvous", "sites")),
            Map.entry("demo", Set.of("core", "announce", "api", "balancer", "config", "tomcat", "cli")),
            Map.entry("bench", Set.of("core", "announce", "api", "balancer", "blocks", "grid", "metrics", "console", "look", "config", "cli", "rendezvous")),
            // The report pages of the benchmark; other modules never see the web application or its libraries.
            Map.entry("study", Set.of("core", "announce", "api", "balancer", "tomcat", "look", "bench", "testing")),
            Map.entry("spring", Set.of("core", "api", "blocks", "config", "metrics")));

    /** Libraries, by the packages they begin with, and the modules that may see them. */
    private static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            // The benchmark needs a class of the codec for MQTT to subscribe to topics of a broker.
            Map.entry("io.netty.", Set.of("netty", "stomp", "console", "discovery", "rendezvous", "balancer", "grid", "grid.bridges", "bench")),
            Map.entry("io.moquette.", Set.of("bench")),
            Map.entry("org.apache.activemq.", Set.of("grid")),
            Map.entry("io.micrometer.", Set.of("metrics", "grid.bridges", "bench", "spring")),
            Map.entry("io.opentelemetry.", Set.of("metrics", "grid.bridges")),
            Map.entry("com.google.protobuf.", Set.of("grid.bridges", "codecs")),
            Map.entry("tools.jackson.", Set.of("codecs")),
            Map.entry("com.nimbusds.", Set.of("console")),
            Map.entry("oshi.", Set.of("grid.bridges")),
            // The campaign runs tests that have to detect mutants.
            Map.entry("org.junit.", Set.of("testkit", "campaign")),
            // Tribes is of the same family, and one of the systems that are compared.
            Map.entry("org.apache.catalina.", Set.of("tomcat", "demo", "bench", "campaign", "study")),
            Map.entry("org.apache.tomcat.", Set.of("tomcat", "demo", "study")),
            // The campaign has the servlet of an application that it puts into real Tomcats.
            Map.entry("jakarta.", Set.of("tomcat", "demo", "campaign", "study")),
            Map.entry("org.eclipse.jetty.", Set.of("jetty")),
            Map.entry("io.undertow.", Set.of("undertow")),
            Map.entry("org.xnio.", Set.of("undertow")),
            Map.entry("org.jgroups.", Set.of("bench", "campaign", "cli", "jgroups")),
            Map.entry("org.zeromq.", Set.of("bench")),
            Map.entry("io.nats.", Set.of("bench")),
            Map.entry("org.HdrHistogram.", Set.of("bench", "study")),
            Map.entry("org.snakeyaml.", Set.of("config")),
            Map.entry("net.jpountz.", Set.of("layers")),
            Map.entry("javax.cache.", Set.of("jcache")),
            Map.entry("org.hibernate.", Set.of("study")),
            Map.entry("org.springframework.", Set.of("study", "spring")),
            Map.entry("net.javacrumbs.", Set.of("spring")),
            Map.entry("com.zaxxer.", Set.of("study")),
            Map.entry("org.postgresql.", Set.of("campaign", "study")),
            Map.entry("org.h2.", Set.of("study")),
            Map.entry("picocli.", Set.of("cli", "demo", "bench", "campaign", "study")),
            Map.entry(
                    "org.slf4j.",
                    Set.of("api", "netty", "blocks", "metrics", "tomcat", "stomp", "draw", "console", "cli", "demo", "bench", "sites", "rendezvous", "balancer", "grid", "grid.bridges", "jcache", "jetty", "jgroups", "spring", "undertow")));

    private final String root;

    /** @param root package of the modules, with a dot at its end */
    Modules(String root) {
        this.root = root;
    }

    /** Returns the dependencies that are not allowed, one per line. */
    Set<String> violations(JavaClasses classes) {
        Set<String> found = new TreeSet<>();
        for (JavaClass origin : classes) {
            String from = moduleOf(origin);
            if (from.isEmpty()) {
                continue;
            }
            for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass();
                String to = moduleOf(target);
                boolean isForbidden = to.isEmpty()
                        ? isForbiddenLibrary(from, target.getBaseComponentType().getName())
                        : !to.equals(from) && !ARROWS.getOrDefault(from, Set.of()).contains(to);
                if (isForbidden) {
                    found.add(from + " must not see " + target.getName() + ": " + dependency.getDescription());
                }
            }
        }
        return found;
    }

    private static boolean isForbiddenLibrary(String from, String target) {
        for (var library : LIBRARIES.entrySet()) {
            if (target.startsWith(library.getKey())) {
                return !library.getValue().contains(from);
            }
        }
        return List.of("core", "protocols").contains(from)
                && !target.startsWith("java.")
                // Packages of java.base: functions of their arguments, and names in certificates.
                && !target.startsWith("javax.crypto.")
                && !target.startsWith("javax.security.auth.x500.")
                && !target.startsWith("org.jspecify.")
                && target.contains(".");
    }

    /** Returns the module of a class; empty for classes of other projects. */
    private String moduleOf(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName() + ".";
        if (!name.startsWith(root)) {
            return "";
        }
        String rest = name.substring(root.length());
        String first = rest.isEmpty() ? "" : rest.substring(0, rest.indexOf('.'));
        if (rest.startsWith("grid.bridges.")) {
            return "grid.bridges";
        }
        return ARROWS.containsKey(first) ? first : first.equals("architecture") ? "" : "api";
    }
}
