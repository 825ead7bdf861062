/** Interfaces whose methods are carried to other members. */
@NullMarked
package dev.tutti.blocks.internal.method;

import org.jspecify.annotations.NullMarked;
