/** Real nodes behind routers that let nobody in, and the servers through which they reach each other. */
@NullMarked
package dev.tutti.campaign.relays;

import org.jspecify.annotations.NullMarked;
