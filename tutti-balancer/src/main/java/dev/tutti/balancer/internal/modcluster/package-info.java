/** The management protocol of mod_cluster. */
@NullMarked
package dev.tutti.balancer.internal.modcluster;

import org.jspecify.annotations.NullMarked;
