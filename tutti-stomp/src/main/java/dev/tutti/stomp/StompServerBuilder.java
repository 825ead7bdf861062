package dev.tutti.stomp;

import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.stomp.internal.Application;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Says how STOMP is to be served. What is set here wins over the node's settings. */
public final class StompServerBuilder {

    private final Node node;
    private Settings settings;
    private @Nullable Authenticator authenticator;
    private Consumer<StompMessage> onMessage = _ -> {};
    private final TreeMap<String, GroupState> states = new TreeMap<>();
    private Pages pages = _ -> null;

    StompServerBuilder(Node node) {
        this.node = node;
        this.settings = StompSettings.of(node.spec().node());
    }

    /** Where clients connect; 0 takes any free port. */
    public StompServerBuilder port(int port) {
        return set(StompSettings.PORT, port);
    }

    /** The groups that clients reach. */
    public StompServerBuilder groups(String... names) {
        return set(StompSettings.GROUPS, List.of(names));
    }

    /** Who decides on log-ins. Without one everybody may connect, and only from this machine. */
    public StompServerBuilder authenticator(Authenticator judge) {
        authenticator = judge;
        return this;
    }

    /**
     * Called for each message of the served groups, in the group's order and before clients get it; it may block, and keeps the
     * senders waiting then.
     */
    public StompServerBuilder onMessage(Consumer<StompMessage> listener) {
        onMessage = listener;
        return this;
    }

    /**
     * What is made of a served group's messages here, and handed over to members that come later: what {@link #onMessage} has
     * been called with, and the state, are in order. The server accepts clients when it has the state. All members need one.
     */
    public StompServerBuilder state(String group, GroupState state) {
        states.put(group, state);
        return this;
    }

    /** What browsers get at the same port without a WebSocket; without this nothing. */
    public StompServerBuilder pages(Pages source) {
        pages = source;
        return this;
    }

    public <T> StompServerBuilder set(Setting<T> setting, T value) {
        settings = settings.with(setting, value);
        return this;
    }

    /** Sets by the name and with the text that a file would have: {@code set("stomp.body-max", "64 KiB")}. */
    public StompServerBuilder set(String setting, String value) {
        settings = settings.with(setting, value, Settings.Source.BUILDER, "builder");
        return this;
    }

    /**
     * Binds, joins the groups and begins to serve.
     *
     * @throws dev.tutti.core.settings.SettingException if a setting is wrong, or the address can't be bound, or not safely
     * @throws IllegalStateException if the node is closed, or has joined one of the groups otherwise
     */
    public StompServer start() {
        return new StompServer(node, settings, new Application(authenticator, onMessage, Map.copyOf(states), pages));
    }
}
