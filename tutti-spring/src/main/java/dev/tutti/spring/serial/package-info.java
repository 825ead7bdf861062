/** Objects as bytes. */
@NullMarked
package dev.tutti.spring.serial;

import org.jspecify.annotations.NullMarked;
