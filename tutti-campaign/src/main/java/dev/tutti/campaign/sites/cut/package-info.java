/** Sites of real processes of which one is cut off for long: docs/operating/sites.md. */
@NullMarked
package dev.tutti.campaign.sites.cut;

import org.jspecify.annotations.NullMarked;
