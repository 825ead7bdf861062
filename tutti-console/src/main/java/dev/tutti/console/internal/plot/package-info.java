/** The library that draws charts, for the console and for reports of measurements. */
@NullMarked
package dev.tutti.console.internal.plot;

import org.jspecify.annotations.NullMarked;
