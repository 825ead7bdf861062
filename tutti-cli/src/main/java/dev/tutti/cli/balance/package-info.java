/** The command for balancers. */
@NullMarked
package dev.tutti.cli.balance;

import org.jspecify.annotations.NullMarked;
