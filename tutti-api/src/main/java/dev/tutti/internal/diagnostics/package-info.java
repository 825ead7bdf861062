/** Events and problems of a node, and the local socket that answers questions about them. */
@NullMarked
package dev.tutti.internal.diagnostics;

import org.jspecify.annotations.NullMarked;
