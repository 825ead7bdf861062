package dev.tutti.blocks.coordination;

/**
 * What becomes of a command.
 *
 * @param isDone whether permits were granted or given back
 * @param value the token of what was granted, the number as it is now, or the first of the ids
 * @param era that the state was in
 */
record Answer(boolean isDone, long value, long era) {}
