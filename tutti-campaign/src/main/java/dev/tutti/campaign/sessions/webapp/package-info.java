/** Web application that is deployed to the Tomcats of a run; it uses no other class of this module. */
@NullMarked
package dev.tutti.campaign.sessions.webapp;

import org.jspecify.annotations.NullMarked;
