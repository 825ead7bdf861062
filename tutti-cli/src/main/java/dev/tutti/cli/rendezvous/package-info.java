/** The command for rendezvous servers. */
@NullMarked
package dev.tutti.cli.rendezvous;

import org.jspecify.annotations.NullMarked;
