/** The simulated cluster with its groups, and the actions and faults that can be performed on it. */
@NullMarked
package dev.tutti.campaign.cluster;

import org.jspecify.annotations.NullMarked;
