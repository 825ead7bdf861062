/** HTTP sessions of Jetty, at every member of a group. {@link dev.tutti.jetty.TuttiSessions} is where to begin. */
@NullMarked
package dev.tutti.jetty;

import org.jspecify.annotations.NullMarked;
