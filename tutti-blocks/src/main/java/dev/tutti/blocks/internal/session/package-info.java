/** HTTP sessions of containers and frameworks, kept in a map that all members have. */
@NullMarked
package dev.tutti.blocks.internal.session;

import org.jspecify.annotations.NullMarked;
