/** Failure detection by agreement of watchers (docs/design/detection.md). */
@NullMarked
package dev.tutti.protocols.detection;

import org.jspecify.annotations.NullMarked;
