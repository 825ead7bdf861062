/** The web application that is put into the Tomcats of a run; it uses no other class of this module. */
@NullMarked
package dev.tutti.campaign.sessions.webapp;

import org.jspecify.annotations.NullMarked;
