/** Records, votes and leaving members of groups in which only a majority of the last view goes on; they know no ballots. */
@NullMarked
package dev.tutti.protocols.membership.primary;

import org.jspecify.annotations.NullMarked;
