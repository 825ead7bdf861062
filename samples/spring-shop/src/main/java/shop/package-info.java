/** A shop whose instances share everything that a customer would miss. */
@NullMarked
package shop;

import org.jspecify.annotations.NullMarked;
