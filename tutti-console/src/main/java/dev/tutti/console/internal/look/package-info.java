/** Files that the pages of the console and of mediators share: style, font, and scripts. */
@NullMarked
package dev.tutti.console.internal.look;

import org.jspecify.annotations.NullMarked;
