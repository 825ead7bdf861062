/** Messages that are kept for other sites. */
@NullMarked
package dev.tutti.sites.internal.log;

import org.jspecify.annotations.NullMarked;
