/** Causal and total order of multicasts (docs/design/order.md). */
@NullMarked
package dev.tutti.protocols.order;

import org.jspecify.annotations.NullMarked;
