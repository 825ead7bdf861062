/** Settings: one definition for builder, file, property, variable and documentation. */
@NullMarked
package dev.tutti.core.settings;

import org.jspecify.annotations.NullMarked;
