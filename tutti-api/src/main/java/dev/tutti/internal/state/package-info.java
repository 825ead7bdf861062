/** Transfers an application's state to newcomers (docs/design/state.md). */
@NullMarked
package dev.tutti.internal.state;

import org.jspecify.annotations.NullMarked;
