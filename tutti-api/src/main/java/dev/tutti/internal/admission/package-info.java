/** Rules about which nodes may come in: read from settings and files, asked on threads that may block. */
@NullMarked
package dev.tutti.internal.admission;

import org.jspecify.annotations.NullMarked;
