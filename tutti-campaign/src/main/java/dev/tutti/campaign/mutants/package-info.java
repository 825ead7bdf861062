/** Mutants: deliberate bugs, kept as patches of the product, which schedules or tests have to detect. */
@NullMarked
package dev.tutti.campaign.mutants;

import org.jspecify.annotations.NullMarked;
