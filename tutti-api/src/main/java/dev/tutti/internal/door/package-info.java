/** Protection of all listeners that people and programs connect to: names, places, log-ins, audit. */
@NullMarked
package dev.tutti.internal.door;

import org.jspecify.annotations.NullMarked;
