package dev.tutti.campaign.sites.process;

/** First and last number that a process has delivered of one sender, without a hole between. */
public record Range(long first, long last) {}
