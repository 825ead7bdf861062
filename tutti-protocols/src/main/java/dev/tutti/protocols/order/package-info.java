/** Causal and total order of what reliability delivers (docs/design/order.md). */
@NullMarked
package dev.tutti.protocols.order;

import org.jspecify.annotations.NullMarked;
