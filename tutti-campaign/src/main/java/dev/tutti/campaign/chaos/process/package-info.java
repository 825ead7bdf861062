/** The processes of a chaos run: their main classes, and the handles with which the run controls them. */
@NullMarked
package dev.tutti.campaign.chaos.process;

import org.jspecify.annotations.NullMarked;
