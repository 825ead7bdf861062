/** Settings of the API's side of a node: their definitions, presets, and overrides by the environment. */
@NullMarked
package dev.tutti.internal.settings;

import org.jspecify.annotations.NullMarked;
