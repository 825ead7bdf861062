/** Delivery of messages and views to the listeners of a group. */
@NullMarked
package dev.tutti.internal.delivery;

import org.jspecify.annotations.NullMarked;
