/** Slips: single mistakes of a maintainer, kept as patches, which schedules or tests have to notice. */
@NullMarked
package dev.tutti.campaign.slips;

import org.jspecify.annotations.NullMarked;
