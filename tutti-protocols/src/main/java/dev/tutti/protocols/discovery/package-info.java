/** Discovery: known addresses and the schedule of their dials (docs/design/links.md, section Discovery). */
@NullMarked
package dev.tutti.protocols.discovery;

import org.jspecify.annotations.NullMarked;
