/** Web nodes announce themselves to balancers, through a group. */
@NullMarked
package dev.tutti.announce;

import org.jspecify.annotations.NullMarked;
