/** The command line of the campaigns that try to break the guarantees. */
@NullMarked
package dev.tutti.campaign;

import org.jspecify.annotations.NullMarked;
