/** A manager's words to its operator: reports, wrong attributes, early ports and the release. */
@NullMarked
package dev.tutti.tomcat.diagnostics;

import org.jspecify.annotations.NullMarked;
