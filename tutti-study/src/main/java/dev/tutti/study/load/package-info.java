/** Visitors, their load, and the account of their confirmed updates. */
@NullMarked
package dev.tutti.study.load;

import org.jspecify.annotations.NullMarked;
