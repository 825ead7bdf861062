package dev.tutti.grid.bridges.otlp;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.tutti.grid.Grid;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.internal.Topics;
import dev.tutti.grid.bridges.internal.door.Call;
import dev.tutti.grid.bridges.internal.door.Door;
import dev.tutti.grid.bridges.internal.door.Reply;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.GZIPInputStream;

/**
 * A server that takes metrics of OpenTelemetry by OTLP over HTTP, {@code POST /v1/metrics} with protobuf, and publishes them as
 * measurements. Each service, by the attribute {@code service.name} of its resource, is a producer: {@code http.server.duration} of
 * {@code shop} has the topic {@code otlp/shop/http/server/duration}. Attributes of data points are tags, and so are {@code
 * service.instance.id}, {@code host.name} and {@code service.namespace} of the resource.
 *
 * <p>Gauges and sums are {@code Number}s, sums with the tags {@code temporality} and {@code monotonic}; histograms and exponential
 * histograms are {@code Histogram}s with the tag {@code temporality}; summaries are {@code Values}. Data points that are wrong are
 * refused by a partial success, as OTLP has it.
 *
 * <p>It needs {@code io.opentelemetry.proto:opentelemetry-proto}, which the module does not bring.
 */
public final class OtlpReceiver implements AutoCloseable {

    /** Port of OTLP over HTTP. */
    public static final int PORT_DEFAULT = 4318;

    /** Path of metrics. */
    public static final String PATH = "/v1/metrics";

    /** Most bytes of a request, after it was decompressed. */
    public static final int BYTES_MAX = 4 << 20;

    private static final String PROTOBUF = "application/x-protobuf";
    private static final int DEPTH_MAX = 32;

    /** Most requests that are decoded at a time: one of 4 MiB, all of data points of two bytes, takes many times its length. */
    private static final int DECODED_MAX = 1;

    private static final long DECODE_SECONDS_MAX = 5;
    private static final int RETRY_SECONDS = 2;

    private final Services services;
    private final Semaphore decoding = new Semaphore(DECODED_MAX);
    private final LongAdder malformed = new LongAdder();
    private final Door door;

    private OtlpReceiver(Grid grid, ServerOptions options, String prefix) {
        this.services = new Services(grid, Topics.checkPrefix(prefix), Services.SERVICES_MAX, System::nanoTime);
        this.door = new Door("otlp receiver", options, this::answer);
    }

    /** Starts the server, with topics below {@code otlp}. Returns when it accepts connections. */
    public static OtlpReceiver open(Grid grid, ServerOptions options) {
        return open(grid, options, "otlp");
    }

    /**
     * Starts the server. Returns when it accepts connections.
     *
     * @param prefix prefix of the topics
     * @throws IllegalArgumentException if it would not be safe, or a file can't be used; the message says what would be right
     * @throws IllegalStateException if the address can't be bound
     */
    public static OtlpReceiver open(Grid grid, ServerOptions options, String prefix) {
        return new OtlpReceiver(grid, options, prefix);
    }

    /** Returns the address that exporters post to. */
    public URI url() {
        return door.url(PATH);
    }

    private Reply answer(Call call) {
        if (!call.path().equals(PATH)) {
            return Reply.text(404, "there is nothing at " + call.path() + "; metrics go to " + PATH);
        }
        if (!call.method().equals("POST")) {
            return Reply.text(405, "metrics are posted");
        }
        if (!call.type().equals(PROTOBUF)) {
            return Reply.text(415, "metrics are " + PROTOBUF + "; others are not read");
        }
        try {
            if (!decoding.tryAcquire(DECODE_SECONDS_MAX, TimeUnit.SECONDS)) {
                return busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return busy();
        }
        try {
            return take(decode(call));
        } catch (IOException e) {
            malformed.increment();
            return new Reply(400, PROTOBUF, Status.encode(Status.INVALID_ARGUMENT, String.valueOf(e.getMessage())), 0);
        } finally {
            decoding.release();
        }
    }

    private static Reply busy() {
        return new Reply(503, PROTOBUF, Status.encode(Status.UNAVAILABLE, "too many requests; ask again later"), RETRY_SECONDS);
    }

    /** @throws IOException if the body is no request; the message says what is wrong */
    static ExportMetricsServiceRequest decode(Call call) throws IOException {
        byte[] bytes = switch (call.encoding()) {
            case "", "identity" -> call.body();
            case "gzip" -> inflated(call.body());
            default -> throw new IOException("the encoding " + call.encoding() + " is not known; gzip is");
        };
        CodedInputStream in = CodedInputStream.newInstance(bytes);
        in.setRecursionLimit(DEPTH_MAX);
        try {
            return ExportMetricsServiceRequest.parseFrom(in);
        } catch (InvalidProtocolBufferException e) {
            throw new IOException("the body is no ExportMetricsServiceRequest: " + e.getMessage(), e);
        }
    }

    private static byte[] inflated(byte[] body) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new IOException("a request has at most " + BYTES_MAX + " bytes when it is decompressed; send less at a time");
            }
            return bytes;
        }
    }

    private Reply take(ExportMetricsServiceRequest request) {
        Services.Refusals refusals = services.publish(request);
        ExportMetricsServiceResponse.Builder response = ExportMetricsServiceResponse.newBuilder();
        if (refusals.count() > 0) {
            response.setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                    .setRejectedDataPoints(refusals.count())
                    .setErrorMessage(refusals.first()));
        }
        return new Reply(200, PROTOBUF, response.build().toByteArray(), 0);
    }

    /**
     * Returns the present numbers: {@code requests}, {@code refused} (without a token, too large, too many), {@code malformed}, {@code
     * published}, {@code rejected} (data points), {@code services}.
     */
    public Map<String, Long> status() {
        Map<String, Long> numbers = new TreeMap<>(services.status());
        numbers.put("requests", door.requests());
        numbers.put("refused", door.refused());
        numbers.put("malformed", malformed.sum());
        return numbers;
    }

    /** Ends the server, and withdraws its producers. Idempotent. */
    @Override
    public void close() {
        door.close();
        services.close();
    }
}
