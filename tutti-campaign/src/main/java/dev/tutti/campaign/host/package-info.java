/** The machine of a run with real processes: commands, ports, temporary directories, and waiting. */
@NullMarked
package dev.tutti.campaign.host;

import org.jspecify.annotations.NullMarked;
