/** A shared directory with a file for each node. */
@NullMarked
package dev.tutti.discovery.directory;

import org.jspecify.annotations.NullMarked;
