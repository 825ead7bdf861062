/** Discovery: which addresses are known, and when each is dialled (docs/design/links.md, section Discovery). */
@NullMarked
package dev.tutti.protocols.discovery;

import org.jspecify.annotations.NullMarked;
