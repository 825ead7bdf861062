package dev.tutti.demo;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.AnnouncerBuilder;
import dev.tutti.announce.message.WebContext;
import dev.tutti.core.Member;
import dev.tutti.tomcat.TuttiManager;
import java.util.List;
import java.util.Optional;
import org.apache.catalina.Manager;

/** The tutti node that replicates the sessions of a shop, and announces the shop to the balancer. */
final class SessionKeeping implements AutoCloseable {

    /** Cluster of the nodes and the balancer. */
    static final String CLUSTER = "shop";

    private final Node node;
    private final TuttiManager manager;

    private SessionKeeping(Node node) {
        this.node = node;
        this.manager = new TuttiManager(node);
    }

    /**
     * @param port port to listen on, on loopback
     * @param seeds addresses to look for the others at
     */
    static SessionKeeping open(String name, int port, List<String> seeds) {
        return new SessionKeeping(Node.tcp(port)
                .name(name)
                .cluster(CLUSTER)
                .seeds(seeds.toArray(String[]::new))
                .set("diagnostics.enabled", "true")
                .start());
    }

    Manager manager() {
        return manager;
    }

    /** Returns the number of the view that the sessions are kept in; 0 if there is none yet. */
    long viewNumber() {
        return group().map(group -> group.view().id().number()).orElse(0L);
    }

    /** Returns the names of the members by rank. */
    List<String> members() {
        return group().map(group -> group.view().members().stream().map(Member::name).toList()).orElse(List.of());
    }

    /** Returns the group of the sessions; the other one is that of the balancer. */
    private Optional<Group> group() {
        return node.groups().stream()
                .filter(group -> !group.name().equals(AnnouncerBuilder.GROUP_DEFAULT))
                .findFirst();
    }

    /** Lets the balancer send requests for the shop to {@code port}, until this is closed. */
    void announce(int port) {
        Announcer.on(node)
                .route(node.name())
                .address("http", "127.0.0.1", port)
                .contexts(WebContext.of("/shop").aliases(Front.HOSTS.toArray(String[]::new)))
                .open();
    }

    @Override
    public void close() {
        node.close();
    }
}
