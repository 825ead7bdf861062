package dev.tutti.demo;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.TuttiManager;
import java.util.List;
import org.apache.catalina.Manager;

/** The tutti node that replicates the sessions of a shop. */
final class SessionKeeping implements AutoCloseable {

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
                .cluster("shop")
                .seeds(seeds.toArray(String[]::new))
                .set("diagnostics.enabled", "true")
                .start());
    }

    Manager manager() {
        return manager;
    }

    /** Returns the number of the view that the sessions are kept in; 0 if there is none yet. */
    long viewNumber() {
        List<Group> groups = node.groups();
        return groups.isEmpty() ? 0 : groups.getFirst().view().id().number();
    }

    /** Returns the names of the members by rank. */
    List<String> members() {
        List<Group> groups = node.groups();
        if (groups.isEmpty()) {
            return List.of();
        }
        View view = groups.getFirst().view();
        return view.members().stream().map(Member::name).toList();
    }

    @Override
    public void close() {
        node.close();
    }
}
