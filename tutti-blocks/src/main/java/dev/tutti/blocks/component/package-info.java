/** Objects with an interface of the application that are replicated, actively or passively. */
@NullMarked
package dev.tutti.blocks.component;

import org.jspecify.annotations.NullMarked;
