package dev.tutti.campaign.application;

/** Blocks that applications use. */
enum Block {
    LAST_WRITER_MAP,
    TOTAL_ORDER_MAP,
    DIRECTORY,
    QUEUE,
    COORDINATION,
    CALLS
}
