/** The list of sites that all masters agree on. */
@NullMarked
package dev.tutti.sites.internal.table;

import org.jspecify.annotations.NullMarked;
