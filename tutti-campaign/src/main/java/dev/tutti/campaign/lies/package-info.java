/** Lies of one member, frame by frame: the same ones for simulated clusters and for real processes. */
@org.jspecify.annotations.NullMarked
package dev.tutti.campaign.lies;
