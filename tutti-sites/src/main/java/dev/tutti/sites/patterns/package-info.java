/** Ready-made uses of several sites. */
@NullMarked
package dev.tutti.sites.patterns;

import org.jspecify.annotations.NullMarked;
