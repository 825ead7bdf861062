package dev.tutti.grid.member;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Query;
import dev.tutti.grid.internal.codec.GridCodec;

/** A question to members of the grid, or to sites. */
sealed interface Request {

    /** For entries of the registry. */
    record Find(Query query) implements Request {}

    /**
     * For measurements.
     *
     * @param fromMicros inclusive, since 1970
     * @param toMicros exclusive
     * @param isLatest whether only the last of each topic is wanted
     * @param deadlineMillis time that the answer may take
     */
    record Values(Filter filter, long fromMicros, long toMicros, boolean isLatest, long deadlineMillis) implements Request {}

    /** Encoding of requests. */
    Codec<Request> CODEC = new Codec<>() {

        @Override
        public void put(Request request, ByteOutput out) {
            switch (request) {
                case Find find -> GridCodec.QUERY.put(find.query, out.putByte(0));
                case Values values -> {
                    GridCodec.FILTER.put(values.filter, out.putByte(1));
                    out.putLong(values.fromMicros).putLong(values.toMicros).putBoolean(values.isLatest).putLong(values.deadlineMillis);
                }
            }
        }

        @Override
        public Request take(ByteInput in) {
            int kind = in.takeByte();
            return switch (kind) {
                case 0 -> new Find(GridCodec.QUERY.take(in));
                case 1 -> new Values(GridCodec.FILTER.take(in), in.takeLong(), in.takeLong(), in.takeBoolean(), in.takeLong());
                default -> throw new MalformedException("request of kind " + kind);
            };
        }
    };
}
