/** What the API and the command line share; nobody else's business. */
@NullMarked
package dev.tutti.internal;

import org.jspecify.annotations.NullMarked;
