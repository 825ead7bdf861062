/** The exchange of all sessions between members that meet in a view. */
@NullMarked
package dev.tutti.tomcat.replication.state;

import org.jspecify.annotations.NullMarked;
