/** Sessions of Undertow's handlers and servlets, at every node of a cluster. */
@NullMarked
package dev.tutti.undertow;

import org.jspecify.annotations.NullMarked;
