/** Options, members, time and waiting, which the parts of a replicator share. */
@NullMarked
package dev.tutti.tomcat.replication.base;

import org.jspecify.annotations.NullMarked;
