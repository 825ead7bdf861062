/** Commands that start a node, and the options that configure it. */
@NullMarked
package dev.tutti.cli.node;

import org.jspecify.annotations.NullMarked;
