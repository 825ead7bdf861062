/** Runs of schedules, the search for schedules that break a guarantee, shrinking, and coverage. */
@NullMarked
package dev.tutti.campaign.search;

import org.jspecify.annotations.NullMarked;
