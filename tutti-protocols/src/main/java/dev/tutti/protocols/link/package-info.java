/** Links: one session per pair of nodes, whatever happens to the connections below it (docs/design/links.md). */
@NullMarked
package dev.tutti.protocols.link;

import org.jspecify.annotations.NullMarked;
