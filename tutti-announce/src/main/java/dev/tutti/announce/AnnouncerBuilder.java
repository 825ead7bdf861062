package dev.tutti.announce;

import dev.tutti.Node;
import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.Load;
import dev.tutti.announce.message.WebContext;
import dev.tutti.core.settings.NodeAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Options of an {@link Announcer}. For one thread. */
public final class AnnouncerBuilder {

    /** Name of the group in which nodes and balancers meet, unless another one is set. */
    public static final String GROUP_DEFAULT = "balancer";

    final Node node;
    String group = GROUP_DEFAULT;
    final Map<String, String> settings = new LinkedHashMap<>();
    final List<WebContext> contexts = new ArrayList<>();
    @Nullable Supplier<Sample> sampler;
    Consumer<String> onRefused = _ -> {};

    private String route = "";
    private String scheme = "http";
    private String host = "";
    private int port;
    private String domain = "";

    AnnouncerBuilder(Node node) {
        this.node = node;
    }

    /** Sets the name of the node in the identifiers of its sessions, Tomcat's {@code jvmRoute}. Needed. */
    public AnnouncerBuilder route(String name) {
        route = name;
        return this;
    }

    /**
     * Sets the address that balancers connect to. Needed.
     *
     * @param protocol {@code http} or {@code https}
     * @param name address or name, as it is known to the machines of balancers
     * @param number port of the web server
     */
    public AnnouncerBuilder address(String protocol, String name, int number) {
        scheme = protocol;
        host = name;
        port = number;
        return this;
    }

    /**
     * Sets the domain: sessions move to nodes of the same domain first. Without it, and if it is empty, the domain is the zone of the node (attribute
     * {@code zone} of its settings), if that may be the name of a domain.
     */
    public AnnouncerBuilder domain(String name) {
        domain = name;
        return this;
    }

    /** Adds contexts. They can be changed later, by {@link Announcer#contexts}. */
    public AnnouncerBuilder contexts(WebContext... served) {
        contexts.addAll(List.of(served));
        return this;
    }

    /** Sets a source of load and sessions, which is asked once a second, on a thread of its own. */
    public AnnouncerBuilder sample(Supplier<Sample> source) {
        sampler = source;
        return this;
    }

    /** Sets another name of the group. */
    public AnnouncerBuilder group(String name) {
        group = name;
        return this;
    }

    /** Sets a setting of the group. */
    public AnnouncerBuilder set(String setting, String value) {
        settings.put(setting, value);
        return this;
    }

    /** Sets a listener that gets the reason if a balancer refuses this node. It must not wait. */
    public AnnouncerBuilder onRefused(Consumer<String> listener) {
        onRefused = listener;
        return this;
    }

    Announcement first() {
        String zone = NodeAttributes.zoneOf(node.spec().node());
        String own = domain.isEmpty() && Announcement.isDomain(zone) ? zone : domain;
        return new Announcement(route, scheme, host, port, own, contexts, Load.none(), 0);
    }

    /**
     * Joins the group, and announces the node.
     *
     * @throws IllegalArgumentException if the route or the address is missing or wrong
     * @throws IllegalStateException if the group can't be joined, for example because this node is in it already
     */
    public Announcer open() {
        return Announcer.open(this);
    }
}
