package dev.tutti.grid.member;

/** A destination of measurements. */
interface Sink {

    /** Takes a measurement. Never waits: what does not fit is dropped, and told of later. */
    void offer(Shipment shipment);
}
