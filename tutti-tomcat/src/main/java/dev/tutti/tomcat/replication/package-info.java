/** Replication of sessions to all members of a group; knows nothing of Tomcat. */
@NullMarked
package dev.tutti.tomcat.replication;

import org.jspecify.annotations.NullMarked;
