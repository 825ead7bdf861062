/** YAML files to node specifications and back. */
@NullMarked
package dev.tutti.config;

import org.jspecify.annotations.NullMarked;
