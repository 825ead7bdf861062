/** Commands that ask running nodes for their state. */
@NullMarked
package dev.tutti.cli.inspection;

import org.jspecify.annotations.NullMarked;
