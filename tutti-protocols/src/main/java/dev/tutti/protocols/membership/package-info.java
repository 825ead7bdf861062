/** Membership: agreement on views (docs/design/membership.md). */
@NullMarked
package dev.tutti.protocols.membership;

import org.jspecify.annotations.NullMarked;
