/** The vocabulary of tutti: packets, views, layers and signals. */
@NullMarked
package dev.tutti.core;

import org.jspecify.annotations.NullMarked;
