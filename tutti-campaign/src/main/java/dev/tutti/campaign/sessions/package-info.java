/** Sessions of real Tomcats under kills, restarts and pauses: {@code tutti sessions}. */
@NullMarked
package dev.tutti.campaign.sessions;

import org.jspecify.annotations.NullMarked;
