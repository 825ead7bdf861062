package dev.tutti.grid.member;

import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.internal.codec.GridCodec;
import org.jspecify.annotations.Nullable;

/** A measurement on its way, which is encoded once if at least one destination needs its bytes. Not for use by several threads. */
final class Shipment {

    /** Size up to which no encoding is too large. */
    private static final int SMALL = Body.BYTES_MAX / 8;

    private final Measurement measurement;
    private byte @Nullable [] bytes;

    Shipment(Measurement measurement) {
        this.measurement = measurement;
    }

    Measurement measurement() {
        return measurement;
    }

    /**
     * Encodes a body that may be too large, so that it is refused before a consumer has got it.
     *
     * @throws IllegalArgumentException if it is
     */
    void check() {
        boolean isSmall = switch (measurement.body()) {
            case Body.Number number -> true;
            case Body.Text text -> text.text().length() <= SMALL;
            case Body.Bytes raw -> raw.bytes().length <= SMALL;
            case Body.Values values -> false;
            case Body.Histogram histogram -> histogram.counts().size() <= SMALL / Long.BYTES;
        };
        if (!isSmall) {
            bytes();
        }
    }

    /** Returns the measurement as a record of a frame. */
    byte[] bytes() {
        byte[] known = bytes;
        if (known == null) {
            ByteOutput out = new ByteOutput();
            Records.begin(out, Records.MEASUREMENT);
            GridCodec.MEASUREMENT.put(measurement, out);
            known = Records.end(out);
            bytes = known;
        }
        return known;
    }
}
