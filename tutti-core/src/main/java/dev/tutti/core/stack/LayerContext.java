package dev.tutti.core.stack;

import dev.tutti.core.Member;
import dev.tutti.core.settings.Settings;

/**
 * The group that a {@link LayerProvider} makes a layer for.
 *
 * @param group name of the group
 * @param self this member
 * @param settings of the group, those of the layer included
 */
public record LayerContext(String group, Member self, Settings settings) {}
