/**
 * Tests of what is built on tutti: a {@link dev.tutti.testkit.Cluster} of the user's own components in virtual time, with
 * the network, the processes and the time in the hands of the test; and
 * LayerTest for those who write layers.
 */
@NullMarked
package dev.tutti.testkit;

import org.jspecify.annotations.NullMarked;
