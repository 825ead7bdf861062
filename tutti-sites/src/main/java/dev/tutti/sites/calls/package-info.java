/** Calls from one site to a member of another. */
@NullMarked
package dev.tutti.sites.calls;

import org.jspecify.annotations.NullMarked;
