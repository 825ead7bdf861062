/** Messages between web nodes and balancers, and their bytes. */
@NullMarked
package dev.tutti.announce.message;

import org.jspecify.annotations.NullMarked;
