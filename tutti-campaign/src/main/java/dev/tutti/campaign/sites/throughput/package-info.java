/** Rate and latency between two sites beside those of bare sockets: docs/operating/sites.md. */
@NullMarked
package dev.tutti.campaign.sites.throughput;

import org.jspecify.annotations.NullMarked;
