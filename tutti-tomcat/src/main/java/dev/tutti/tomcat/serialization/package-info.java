/** Limits on the objects that sessions of other nodes may contain. */
@NullMarked
package dev.tutti.tomcat.serialization;

import org.jspecify.annotations.NullMarked;
