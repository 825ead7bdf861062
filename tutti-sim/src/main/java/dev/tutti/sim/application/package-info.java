/** Application of a simulated member, which sends, consumes at its own pace, and records what it sees. */
@NullMarked
package dev.tutti.sim.application;

import org.jspecify.annotations.NullMarked;
