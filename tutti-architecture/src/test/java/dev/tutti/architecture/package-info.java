/** Tests of the whole. */
@NullMarked
package dev.tutti.architecture;

import org.jspecify.annotations.NullMarked;
