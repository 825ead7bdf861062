/** Networks between real processes, and the faults that they can inject. */
@NullMarked
package dev.tutti.campaign.chaos.network;

import org.jspecify.annotations.NullMarked;
