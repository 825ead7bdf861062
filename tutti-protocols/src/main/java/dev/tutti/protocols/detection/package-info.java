/** Failure detection: who is silent, and who else says so (docs/design/detection.md). */
@NullMarked
package dev.tutti.protocols.detection;

import org.jspecify.annotations.NullMarked;
