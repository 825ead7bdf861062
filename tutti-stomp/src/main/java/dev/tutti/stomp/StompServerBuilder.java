package dev.tutti.stomp;

import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.stomp.internal.session.Application;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Configures and starts a server. Values set here override the node's settings. */
public final class StompServerBuilder {

    private final Node node;
    private Settings settings;
    private @Nullable Authenticator authenticator;
    private Consumer<StompMessage> onMessage = _ -> {};
    private final TreeMap<String, GroupState> states = new TreeMap<>();
    private final TreeMap<String, StompSource> sources = new TreeMap<>();
    private Pages pages = _ -> null;

    StompServerBuilder(Node node) {
        this.node = node;
        this.settings = StompSettings.of(node.spec().node());
    }

    /** Sets the port that clients connect to; 0 takes any free port. */
    public StompServerBuilder port(int port) {
        return set(StompSettings.PORT, port);
    }

    /** Sets the groups that clients can reach. */
    public StompServerBuilder groups(String... names) {
        return set(StompSettings.GROUPS, List.of(names));
    }

    /** Sets the authenticator for log-ins. Without one, everybody on this machine may connect, and nobody else. */
    public StompServerBuilder authenticator(Authenticator judge) {
        authenticator = judge;
        return this;
    }

    /**
     * Sets a listener for each message of the served groups, called in the group's order and before clients receive the
     * message. It may block; the senders then wait.
     */
    public StompServerBuilder onMessage(Consumer<StompMessage> listener) {
        onMessage = listener;
        return this;
    }

    /**
     * Sets the state of a served group: it is built from the group's messages and transferred to members that join
     * later. It is consistent with the calls of {@link #onMessage}. The server accepts clients once it has the state.
     * All members need one.
     */
    public StompServerBuilder state(String group, GroupState state) {
        states.put(group, state);
        return this;
    }

    /**
     * Sets the source of destinations that begin with a segment, such as {@code grid} for {@code /grid/...}. No group has this name.
     */
    public StompServerBuilder source(String segment, StompSource source) {
        sources.put(segment, source);
        return this;
    }

    /** Sets the source of pages for plain HTTP requests at the same port; by default there are none. */
    public StompServerBuilder pages(Pages source) {
        pages = source;
        return this;
    }

    public <T> StompServerBuilder set(Setting<T> setting, T value) {
        settings = settings.with(setting, value);
        return this;
    }

    /** Sets a setting by its name, with the text that a file would have: {@code set("stomp.body-max", "64 KiB")}. */
    public StompServerBuilder set(String setting, String value) {
        settings = settings.with(setting, value, Settings.Source.BUILDER, "builder");
        return this;
    }

    /**
     * Binds the port, joins the groups and begins to serve.
     *
     * @throws dev.tutti.core.settings.SettingException if a setting is wrong, or the address can't be bound, or not safely
     * @throws IllegalStateException if the node is closed, or has joined one of the groups otherwise
     */
    public StompServer start() {
        return new StompServer(node, settings, new Application(authenticator, onMessage, Map.copyOf(states), Map.copyOf(sources), pages));
    }
}
