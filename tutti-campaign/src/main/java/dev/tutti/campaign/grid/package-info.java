/** Many producers and consumers of a grid at several sites, while mediators are killed: docs/operating/grid.md. */
@NullMarked
package dev.tutti.campaign.grid;

import org.jspecify.annotations.NullMarked;
