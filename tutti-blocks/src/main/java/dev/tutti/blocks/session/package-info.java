/** Choices that replicated HTTP sessions leave to the application, the same for each embedded container. */
@NullMarked
package dev.tutti.blocks.session;

import org.jspecify.annotations.NullMarked;
