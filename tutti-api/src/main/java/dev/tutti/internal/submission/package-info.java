/** Messages of the application on their way to the node's loop, and receipts for them. */
@NullMarked
package dev.tutti.internal.submission;

import org.jspecify.annotations.NullMarked;
