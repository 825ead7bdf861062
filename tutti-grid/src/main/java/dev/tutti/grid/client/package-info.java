/** Clients of mediators. */
@NullMarked
package dev.tutti.grid.client;

import org.jspecify.annotations.NullMarked;
