package dev.tutti.blocks.coordination;

/**
 * Result of a command.
 *
 * @param isDone whether permits were granted or given back
 * @param value the token that was granted, the current number, or the first of the ids
 * @param era of the state
 */
record Answer(boolean isDone, long value, long era) {}
