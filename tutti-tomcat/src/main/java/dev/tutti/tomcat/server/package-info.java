/** A Tomcat as balancers see it: its connector, contexts, load and sessions. */
@NullMarked
package dev.tutti.tomcat.server;

import org.jspecify.annotations.NullMarked;
