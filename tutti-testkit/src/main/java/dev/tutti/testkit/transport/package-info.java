/** Tests that every transport has to pass. */
@NullMarked
package dev.tutti.testkit.transport;

import org.jspecify.annotations.NullMarked;
