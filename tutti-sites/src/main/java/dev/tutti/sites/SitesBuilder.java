package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.Printable;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Configures a node's part in a cluster of several sites. */
public final class SitesBuilder {

    private final Node node;
    private String site = "";
    private @Nullable Supplier<NodeBuilder> bridge;
    private int masters = 2;
    private Pattern masterNames = Pattern.compile(".*");
    private Duration awayAfter = Duration.ofSeconds(5);
    private long windowBytes = 16 << 20;
    private final TreeMap<String, String> linkSettings = new TreeMap<>();
    private Consumer<SitesView> onView = view -> {};

    SitesBuilder(Node node) {
        this.node = node;
    }

    /** Sets the name of this node's site, the same at all nodes of its cluster. Required. */
    public SitesBuilder site(String name) {
        if (name.isBlank() || name.length() > NAME_MAX) {
            throw new IllegalArgumentException("a site's name has 1 to " + NAME_MAX + " characters, not " + name.length());
        }
        Printable.checkName("the name of a site", name);
        site = name;
        return this;
    }

    /**
     * Sets the bridge node that this node starts when it becomes a master: address, seeds or discovery, certificates, and
     * settings for long distance. All bridge nodes form one cluster, whose name differs from that of the sites. Required.
     *
     * @param bridge is asked each time for a new builder
     */
    public SitesBuilder bridge(Supplier<NodeBuilder> bridge) {
        this.bridge = requireNonNull(bridge, "bridge");
        return this;
    }

    /**
     * Sets the number of masters, 2 by default: the oldest members of each site group that may be masters. The first passes
     * messages on; the others are connected already when they have to take over.
     */
    public SitesBuilder masters(int count) {
        if (count < 1 || count > MASTERS_MAX) {
            throw new IllegalArgumentException("a site has 1 to " + MASTERS_MAX + " masters, not " + count);
        }
        masters = count;
        return this;
    }

    /** Lets only nodes whose names match become masters; all by default. The same at all nodes of a site. */
    public SitesBuilder masterNames(String regularExpression) {
        masterNames = Pattern.compile(regularExpression);
        return this;
    }

    /** Sets the time without a master after which a site is {@link Site.State#AWAY}; 5 seconds by default. */
    public SitesBuilder awayAfter(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("a site is away after a time above 0, not " + time);
        }
        awayAfter = time;
        return this;
    }

    /**
     * Bounds what a master has sent to masters of other sites, of all site groups, and they have not taken; 16 MiB by default. A line
     * is used fully if this is at least its bandwidth times its round trip.
     */
    public SitesBuilder window(long bytes) {
        if (bytes < WINDOW_MIN) {
            throw new IllegalArgumentException("the window of the bridge has at least " + WINDOW_MIN + " bytes, not " + bytes);
        }
        windowBytes = bytes;
        return this;
    }

    /** Sets a setting of the group of all masters, such as {@code layers} with {@code compression}. The same at all sites. */
    public SitesBuilder set(String setting, String value) {
        linkSettings.put(setting, value);
        return this;
    }

    /** Sets the listener for views of the sites. Called one at a time, on a thread of the node; it may block. */
    public SitesBuilder onView(Consumer<SitesView> listener) {
        onView = requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Joins. Returns when this node is in its site's view; the other sites may follow later.
     *
     * @throws IllegalStateException if the site or the bridge is not set, or the node can't join
     */
    public Sites open() {
        if (site.isEmpty()) {
            throw new IllegalStateException("this node's site has no name; see SitesBuilder.site");
        }
        if (bridge == null) {
            throw new IllegalStateException("site " + site + " has no bridge to the others; see SitesBuilder.bridge");
        }
        return Sites.open(this);
    }

    Node node() {
        return node;
    }

    String site() {
        return site;
    }

    Supplier<NodeBuilder> bridge() {
        return requireNonNull(bridge, "bridge");
    }

    int masters() {
        return masters;
    }

    Pattern masterNames() {
        return masterNames;
    }

    Duration awayAfter() {
        return awayAfter;
    }

    long windowBytes() {
        return windowBytes;
    }

    Map<String, String> linkSettings() {
        return linkSettings;
    }

    Consumer<SitesView> onView() {
        return onView;
    }

    private static final long WINDOW_MIN = 1 << 20;
    private static final int NAME_MAX = 64;
    private static final int MASTERS_MAX = 16;
}
