package dev.tutti.sites;

/**
 * Messages that a site does not get: their own site could not keep them until this one was back.
 *
 * @param site that they were sent at
 * @param sender name of the node that sent them
 * @param incarnation of that node
 * @param count number of messages; those that were not for this site are counted, too
 */
public record Gap(String site, String sender, long incarnation, long count) {}
