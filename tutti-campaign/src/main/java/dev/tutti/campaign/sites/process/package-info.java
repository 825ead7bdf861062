/** Processes at sites, for scenarios with real ones: docs/operating/sites.md. */
@NullMarked
package dev.tutti.campaign.sites.process;

import org.jspecify.annotations.NullMarked;
