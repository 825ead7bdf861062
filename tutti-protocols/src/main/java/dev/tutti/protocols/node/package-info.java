/** The node: links, discovery, detection, and the groups on it. */
@NullMarked
package dev.tutti.protocols.node;

import org.jspecify.annotations.NullMarked;
