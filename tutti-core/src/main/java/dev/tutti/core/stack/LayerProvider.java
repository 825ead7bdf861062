package dev.tutti.core.stack;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import java.util.List;

/**
 * Makes a layer of the user's own for each group that asks for it, by the builder of the group or, if found by {@link
 * java.util.ServiceLoader}, by name in the setting {@code layers}.
 *
 * <p>The layer is placed at the lowest position in the stack where everything that it {@link #requires} is provided from
 * below. Layers that may stand at the same position stand in the order in which the group lists them, the first lowest. No
 * layer stands above the one that takes the application's messages.
 *
 * <p>Threads: {@link #create} runs on the node's loop, the other methods on any thread. They give the same answer each time.
 */
public interface LayerProvider {

    /** Longest sum of {@link #headerBytes} of a group's layers: what packets have room for besides tutti's own headers. */
    int HEADER_BYTES_MAX = 32;

    /** Returns the name, unique in a group: a lower-case letter, then letters, digits and hyphens; at most 32 characters. */
    String name();

    /** Returns the settings of the layer, named {@code layer.<name>.<setting>}. Groups have them, too. */
    default List<Setting<?>> settings() {
        return List.of();
    }

    /** Returns the definitions of the layer's counters, in the part {@code layer.<name>} of a group. */
    default List<Metric> metrics() {
        return List.of();
    }

    /**
     * Returns whether all members of a group need the layer, as they do if it changes packets or sends some. A member
     * without it, or with another value of one of the {@link #settingsInCommon}, does not come into a view with the others.
     */
    default boolean isInCommon() {
        return true;
    }

    /** Returns those settings that need the same value at all members, if the layer {@link #isInCommon}. */
    default List<Setting<?>> settingsInCommon() {
        return settings();
    }

    /** Returns the guarantees that the layer needs from below. */
    default List<Guarantee> requires() {
        return List.of();
    }

    /** Returns the guarantees that the layer adds for layers above it. */
    default List<Guarantee> provides() {
        return List.of();
    }

    /**
     * Returns the number of bytes by which the layer makes packets longer at most. Above {@link Guarantee#IN_VIEW}, where
     * windows count bytes, it adds exactly as many to each packet and changes no length otherwise.
     */
    default int headerBytes() {
        return 0;
    }

    /**
     * Creates the layer of one group. It learns time and randomness from its {@link Outbox} alone.
     *
     * @throws dev.tutti.core.settings.SettingException if the settings contradict each other
     */
    Layer create(LayerContext context);
}
