/** Schedules of actions: their text form, and how they are drawn from seeds. */
@NullMarked
package dev.tutti.campaign.schedule;

import org.jspecify.annotations.NullMarked;
