/** Conversion between YAML files and node specifications. */
@NullMarked
package dev.tutti.config;

import org.jspecify.annotations.NullMarked;
