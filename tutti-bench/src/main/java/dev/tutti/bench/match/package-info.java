/** Subscriptions of many kinds, and the indexes that find them. */
@NullMarked
package dev.tutti.bench.match;

import org.jspecify.annotations.NullMarked;
