/** Campaigns that try to break the guarantees: scenarios, schedules of faults drawn from seeds, and their coverage. */
@NullMarked
package dev.tutti.campaign;

import org.jspecify.annotations.NullMarked;
