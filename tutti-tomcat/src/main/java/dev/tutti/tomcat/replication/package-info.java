/** How sessions are kept the same at all members of a group; knows nothing of Tomcat. */
@NullMarked
package dev.tutti.tomcat.replication;

import org.jspecify.annotations.NullMarked;
