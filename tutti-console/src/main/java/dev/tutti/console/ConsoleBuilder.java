package dev.tutti.console;

import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import org.jspecify.annotations.Nullable;

/** Configures and starts a console. Values set here take precedence over the node's settings. */
public final class ConsoleBuilder {

    private final Node node;
    private Settings settings;
    private @Nullable Inspection inspection;

    ConsoleBuilder(Node node) {
        this.node = node;
        this.settings = ConsoleSettings.of(node.spec().node());
    }

    /** Sets the port that browsers connect to; 0 takes any free one. */
    public ConsoleBuilder port(int port) {
        return set(ConsoleSettings.PORT, port);
    }

    /**
     * Uses {@code open}, which stays open afterwards; without this the console opens and closes an inspection of its
     * own.
     */
    public ConsoleBuilder inspection(Inspection open) {
        inspection = open;
        return this;
    }

    public <T> ConsoleBuilder set(Setting<T> setting, T value) {
        settings = settings.with(setting, value);
        return this;
    }

    /**
     * Sets a setting by its name, with the text that it would have in a file: {@code set("console.interval", "500
     * ms")}.
     */
    public ConsoleBuilder set(String setting, String value) {
        settings = settings.with(setting, value, Settings.Source.BUILDER, "builder");
        return this;
    }

    /**
     * Binds and begins to serve.
     *
     * @throws dev.tutti.core.settings.SettingException if a setting is wrong, or the address can't be bound, or not safely
     * @throws IllegalStateException if the node is closed, or has inspection open that was not given
     */
    public Console start() {
        return new Console(node, settings, inspection);
    }
}
