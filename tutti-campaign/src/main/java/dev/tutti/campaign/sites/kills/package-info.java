/** Sites of real processes whose masters are killed: docs/operating/sites.md. */
@NullMarked
package dev.tutti.campaign.sites.kills;

import org.jspecify.annotations.NullMarked;
