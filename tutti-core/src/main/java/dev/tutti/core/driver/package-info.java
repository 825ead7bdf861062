/** What a driver gives a node and takes from it. */
@NullMarked
package dev.tutti.core.driver;

import org.jspecify.annotations.NullMarked;
