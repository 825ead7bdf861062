/** Clusters on several sites drawn from seeds, on the real API in virtual time: docs/design/simulator.md, section Sites. */
@NullMarked
package dev.tutti.campaign.sites;

import org.jspecify.annotations.NullMarked;
