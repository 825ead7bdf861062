package dev.tutti.grid;

/**
 * Measurements that a consumer does not get.
 *
 * @param producer identity of the producer; empty if they are of several
 * @param count number of measurements; 0 if it is not known
 * @param reason reason, as a sentence for people
 */
public record Gap(String producer, long count, String reason) {}
