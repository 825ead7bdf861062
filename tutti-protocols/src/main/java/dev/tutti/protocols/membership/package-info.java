/** Views: who is in the group (docs/design/membership.md). */
@NullMarked
package dev.tutti.protocols.membership;

import org.jspecify.annotations.NullMarked;
