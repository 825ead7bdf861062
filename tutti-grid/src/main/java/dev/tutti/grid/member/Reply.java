package dev.tutti.grid.member;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.internal.codec.GridCodec;
import java.util.ArrayList;
import java.util.List;

/** Answer to a {@link Request}: a part of it is empty. */
record Reply(List<Entry> entries, List<Measurement> measurements, List<String> missing) {

    /** Most bytes of an answer; what is more is left out, and the answer says so. */
    static final int BYTES_MAX = 8 << 20;

    /** Encoding of replies. */
    static final Codec<Reply> CODEC = new Codec<>() {

        @Override
        public void put(Reply reply, ByteOutput out) {
            ByteOutput items = new ByteOutput();
            int entries = 0;
            while (entries < reply.entries.size() && items.length() < BYTES_MAX) {
                GridCodec.ENTRY.put(reply.entries.get(entries++), items);
            }
            int measurements = 0;
            while (measurements < reply.measurements.size() && items.length() < BYTES_MAX) {
                GridCodec.MEASUREMENT.put(reply.measurements.get(measurements++), items);
            }
            List<String> missing = new ArrayList<>(reply.missing);
            int left = reply.entries.size() - entries + reply.measurements.size() - measurements;
            if (left > 0) {
                missing.add(left + " items are left out, as the answer has more than " + BYTES_MAX + " bytes; ask for less");
            }
            out.putInt(missing.size());
            missing.forEach(out::putText);
            out.putInt(entries).putInt(measurements).putRaw(items.array(), 0, items.length());
        }

        @Override
        public Reply take(ByteInput in) {
            List<String> missing = new ArrayList<>();
            int reasons = in.takeCount(Integer.BYTES);
            for (int i = 0; i < reasons; i++) {
                missing.add(in.takeText());
            }
            int entries = in.takeInt();
            int measurements = in.takeInt();
            List<Entry> allEntries = new ArrayList<>();
            for (int i = 0; i < entries; i++) {
                allEntries.add(GridCodec.ENTRY.take(in));
            }
            List<Measurement> allMeasurements = new ArrayList<>();
            for (int i = 0; i < measurements; i++) {
                allMeasurements.add(GridCodec.MEASUREMENT.take(in));
            }
            return new Reply(allEntries, allMeasurements, missing);
        }
    };
}
