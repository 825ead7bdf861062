/** Core types of tutti: packets, members and views. */
@NullMarked
package dev.tutti.core;

import org.jspecify.annotations.NullMarked;
