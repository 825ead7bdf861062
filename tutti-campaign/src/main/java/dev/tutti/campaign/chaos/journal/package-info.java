/** Journals that the processes of a chaos run write, and the check of the guarantees from them. */
@NullMarked
package dev.tutti.campaign.chaos.journal;

import org.jspecify.annotations.NullMarked;
