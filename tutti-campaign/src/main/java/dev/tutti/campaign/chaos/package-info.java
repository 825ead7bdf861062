/** Real processes under real faults, and their history under the same checks as the simulator's. */
@NullMarked
package dev.tutti.campaign.chaos;

import org.jspecify.annotations.NullMarked;
