/** This node's member of a group, behind the public type {@link dev.tutti.Group}. */
@NullMarked
package dev.tutti.internal.group;

import org.jspecify.annotations.NullMarked;
