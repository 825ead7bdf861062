/** Types shared by the API and the command line; not for applications. */
@NullMarked
package dev.tutti.internal;

import org.jspecify.annotations.NullMarked;
