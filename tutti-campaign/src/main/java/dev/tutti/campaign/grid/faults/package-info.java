/** Faults of the grid's stores and sites, while queries run. */
@NullMarked
package dev.tutti.campaign.grid.faults;

import org.jspecify.annotations.NullMarked;
