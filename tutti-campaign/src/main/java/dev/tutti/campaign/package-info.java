/** What tries to break the guarantees: stories, schedules of faults drawn from seeds, and what they reach. */
@NullMarked
package dev.tutti.campaign;

import org.jspecify.annotations.NullMarked;
