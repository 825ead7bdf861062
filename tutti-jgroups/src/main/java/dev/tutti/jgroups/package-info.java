/** A bridge between a cluster of JGroups and a group. */
@NullMarked
package dev.tutti.jgroups;

import org.jspecify.annotations.NullMarked;
