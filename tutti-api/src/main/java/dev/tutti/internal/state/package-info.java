/** Hands an application's state over to newcomers (docs/design/state.md). */
@NullMarked
package dev.tutti.internal.state;

import org.jspecify.annotations.NullMarked;
