/**
 * A tree of names that all members of a group share: {@link dev.tutti.blocks.directory.Directory}, and a JNDI context
 * over it: {@link dev.tutti.blocks.directory.DirectoryContext}.
 */
@NullMarked
package dev.tutti.blocks.directory;

import org.jspecify.annotations.NullMarked;
