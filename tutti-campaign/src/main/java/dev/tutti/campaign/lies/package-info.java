/** Lies of one member, frame by frame: the same ones for simulated clusters and for real processes. */
@NullMarked
package dev.tutti.campaign.lies;

import org.jspecify.annotations.NullMarked;
