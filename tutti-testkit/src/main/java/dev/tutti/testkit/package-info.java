/**
 * Tests of applications on tutti: a {@link dev.tutti.testkit.Cluster} of the user's own components in virtual time,
 * whose network, processes and time the test controls; and LayerTest for authors of layers.
 */
@NullMarked
package dev.tutti.testkit;

import org.jspecify.annotations.NullMarked;
