package dev.tutti.grid.bridges.prometheus;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.internal.send.Form;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Requests of remote write 1.0: the message {@code prometheus.WriteRequest}, compressed by Snappy in one block. */
final class WriteForm implements Form {

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Type", "application/x-protobuf",
            "Content-Encoding", "snappy",
            "X-Prometheus-Remote-Write-Version", "0.1.0",
            "User-Agent", "tutti-grid");

    /** Most series whose last time is known; of others any sample is written. */
    private static final int SERIES_MAX = 50_000;

    private static final int REQUEST_SERIES = 1;
    private static final int SERIES_LABEL = 1;
    private static final int SERIES_SAMPLE = 2;
    private static final int LABEL_NAME = 1;
    private static final int LABEL_VALUE = 2;
    private static final int SAMPLE_VALUE = 1;
    private static final int SAMPLE_TIME = 2;

    /** Writes the fields of a message. */
    private interface Fields {
        void write(CodedOutputStream out) throws IOException;
    }

    private final SeriesNames names;

    /** Time of the last sample of each series: Prometheus drops a request as a whole for one sample that is not newer. */
    private final Map<Map<String, String>, Long> newest = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Map<String, String>, Long> eldest) {
            return size() > SERIES_MAX;
        }
    };

    WriteForm(SeriesNames names) {
        this.names = names;
    }

    @Override
    public Map<String, String> headers() {
        return HEADERS;
    }

    @Override
    public int points(Measurement measurement) {
        return Sample.count(measurement);
    }

    @Override
    public boolean isTemporary(int status) {
        return status == 429 || status / 100 == 5;
    }

    @Override
    public long rejected(byte[] answer) {
        return 0;
    }

    @Override
    public Encoded encode(List<Measurement> batch) {
        // The samples of a series are sorted by time, with one at each time: the last.
        Map<Map<String, String>, TreeMap<Long, Double>> series = new LinkedHashMap<>();
        long left = 0;
        for (Measurement each : batch) {
            for (Sample sample : Sample.of(names, each)) {
                Map<String, String> labels = sample.labelsWithName();
                Long written = newest.get(labels);
                boolean isOld = written != null && sample.timeMillis() <= written;
                if (isOld || series.computeIfAbsent(labels, key -> new TreeMap<>()).put(sample.timeMillis(), sample.value()) != null) {
                    left++;
                }
            }
        }
        series.forEach((labels, samples) -> newest.put(labels, samples.lastKey()));
        byte[] request = message(out -> {
            for (var each : series.entrySet()) {
                nested(out, REQUEST_SERIES, one -> write(one, each.getKey(), each.getValue()));
            }
        });
        return new Encoded(SnappyBlock.compress(request), left);
    }

    private static void write(CodedOutputStream out, Map<String, String> labels, Map<Long, Double> samples) throws IOException {
        for (Map.Entry<String, String> label : labels.entrySet()) {
            nested(out, SERIES_LABEL, one -> {
                one.writeString(LABEL_NAME, label.getKey());
                one.writeString(LABEL_VALUE, label.getValue());
            });
        }
        for (Map.Entry<Long, Double> sample : samples.entrySet()) {
            nested(out, SERIES_SAMPLE, one -> {
                one.writeDouble(SAMPLE_VALUE, sample.getValue());
                one.writeInt64(SAMPLE_TIME, sample.getKey());
            });
        }
    }

    private static void nested(CodedOutputStream out, int field, Fields fields) throws IOException {
        byte[] bytes = message(fields);
        out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(bytes.length);
        out.writeRawBytes(bytes);
    }

    private static byte[] message(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);
        try {
            fields.write(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
