package dev.tutti.grid.bridges.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedInputStream;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.Collector;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.Site;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RemoteWriteTest {

    private static final SubscriptionOptions HOSTS = SubscriptionOptions.of("write", Filter.topic("hosts/#"));

    private final Site site = new Site();
    private final Collector collector = new Collector();
    private final Producer producer = site.producer();

    @AfterEach
    void close() {
        collector.close();
        site.close();
    }

    /** Reads a request: for each series its labels, in the order in which they are there, and its samples. */
    private static Map<String, List<String>> read(byte[] body) throws IOException {
        Map<String, List<String>> all = new TreeMap<>();
        CodedInputStream in = CodedInputStream.newInstance(SnappyBlockTest.decompress(body));
        while (in.readTag() == (1 << 3 | 2)) {
            CodedInputStream series = CodedInputStream.newInstance(in.readByteArray());
            StringBuilder labels = new StringBuilder();
            List<String> samples = new ArrayList<>();
            for (int tag = series.readTag(); tag != 0; tag = series.readTag()) {
                CodedInputStream part = CodedInputStream.newInstance(series.readByteArray());
                part.readTag();
                if (tag >>> 3 == 1) {
                    String name = part.readString();
                    part.readTag();
                    labels.append(name).append('=').append(part.readString()).append(' ');
                } else {
                    double value = part.readDouble();
                    part.readTag();
                    samples.add(value + "@" + part.readInt64());
                }
            }
            all.put(labels.toString().strip(), samples);
        }
        return all;
    }

    @Test
    void measurementsAreSeries() throws Exception {
        Instant time = Instant.ofEpochMilli(5_000);
        SeriesNames names = SeriesNames.defaults().withoutProducer();
        try (RemoteWrite write = RemoteWrite.open(site.grid(), HOSTS, SendOptions.to(collector.url()).interval(Duration.ofHours(1)), names)) {
            Topic load = Topic.of("hosts/web1/cpu-load");
            producer.publish(load, Map.of("zone", "a", "9 lives", "x", "__name__", "y", "empty", ""), time.plusMillis(2), Body.of(2));
            producer.publish(load, Map.of("zone", "a", "9 lives", "x", "__name__", "y"), time, Body.of(1));
            producer.publish(load, Map.of("zone", "a", "9 lives", "x", "__name__", "y"), time, Body.of(3));
            producer.publish(Topic.of("hosts/web1/sizes"), Map.of(), time, new Body.Histogram(List.of(0.5, 2.0), List.of(1L, 2L, 3L), 9, "By"));
            producer.publish("hosts/web1/state", Body.of("fine"));
            Await.until("the text, which is the last, is left out", () -> write.status().get("omitted") == 1);
        }
        assertThat(collector.calls()).singleElement().satisfies(call -> {
            assertThat(call.type()).isEqualTo("application/x-protobuf");
            assertThat(call.encoding()).isEqualTo("snappy");
        });
        assertThat(read(collector.awaitCall().body())).isEqualTo(Map.of(
                "_9_lives=x __name__=hosts_cpu_load _name__=y host=web1 zone=a",
                List.of("3.0@5000", "2.0@5002"),
                "__name__=hosts_sizes_bucket host=web1 le=0.5", List.of("1.0@5000"),
                "__name__=hosts_sizes_bucket host=web1 le=2", List.of("3.0@5000"),
                "__name__=hosts_sizes_bucket host=web1 le=+Inf", List.of("6.0@5000"),
                "__name__=hosts_sizes_sum host=web1", List.of("9.0@5000"),
                "__name__=hosts_sizes_count host=web1", List.of("6.0@5000")));
    }

    @Test
    void samplesThatAreNotNewerThanThoseBeforeAreLeftOut() throws Exception {
        WriteForm form = new WriteForm(SeriesNames.defaults());
        assertThat(form.encode(List.of(load("web1", 5_000), load("web2", 5_000))).left()).isZero();
        var next = form.encode(List.of(load("web1", 4_000), load("web1", 5_000), load("web2", 5_001), load("web2", 5_001), load("web3", 1)));
        assertThat(next.left()).isEqualTo(3);
        assertThat(read(next.body()).values()).containsExactlyInAnyOrder(List.of("1.0@5001"), List.of("1.0@1"));
    }

    private static Measurement load(String host, long millis) {
        return new Measurement("p", 1, Topic.of("hosts/" + host + "/load"), Map.of(), Instant.ofEpochMilli(millis), ClockQuality.UNKNOWN, Body.of(1));
    }

    @Test
    void statusesAreTemporaryAsRemoteWriteSays() {
        WriteForm form = new WriteForm(SeriesNames.defaults());
        assertThat(form.isTemporary(429)).isTrue();
        assertThat(form.isTemporary(500)).isTrue();
        assertThat(form.isTemporary(503)).isTrue();
        assertThat(form.isTemporary(400)).isFalse();
        assertThat(form.isTemporary(301)).isFalse();
        assertThat(form.headers()).containsEntry("X-Prometheus-Remote-Write-Version", "0.1.0");
    }

    @Test
    void namesAreThoseThatPrometheusAllows() {
        assertThat(Sample.metric("hosts/cpu-load.1")).isEqualTo("hosts_cpu_load_1");
        assertThat(Sample.metric("1/ä:b")).isEqualTo("_1__:b");
        assertThat(Sample.label("__a:b")).isEqualTo("_a_b");
        assertThat(Sample.label("____")).isEqualTo("_");
        assertThat(Sample.label("")).isEqualTo("_");
        assertThat(Sample.text(5)).isEqualTo("5");
        assertThat(Sample.text(0.25)).isEqualTo("0.25");
        assertThat(Sample.text(Double.NEGATIVE_INFINITY)).isEqualTo("-Inf");
        assertThat(Sample.text(Double.NaN)).isEqualTo("NaN");
    }
}
