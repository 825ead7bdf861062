/** A table of a database with a row for each node. */
@NullMarked
package dev.tutti.discovery.jdbc;

import org.jspecify.annotations.NullMarked;
