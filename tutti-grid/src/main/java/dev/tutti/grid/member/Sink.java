package dev.tutti.grid.member;

import dev.tutti.grid.Gap;

/** A destination of measurements. */
interface Sink {

    /** Takes a measurement. Never waits: what does not fit is dropped, and told of later. */
    void offer(Shipment shipment);

    /** Takes word of measurements that are lost, which follows the measurements before it. Never waits. */
    void offer(Gap gap);
}
