/** A session as versioned bytes, its changes and messages, and the store of all sessions. */
@NullMarked
package dev.tutti.tomcat.replication.session;

import org.jspecify.annotations.NullMarked;
