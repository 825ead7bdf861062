/** Alerts by rule, and the webhook that they are sent to. */
@NullMarked
package dev.tutti.console.internal.alerts;

import org.jspecify.annotations.NullMarked;
