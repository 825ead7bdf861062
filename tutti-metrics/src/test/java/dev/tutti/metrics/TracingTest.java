package dev.tutti.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.testing.Await;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Traces that go on at other members. */
@Timeout(60)
class TracingTest {

    @RegisterExtension
    static final OpenTelemetryExtension TELEMETRY = OpenTelemetryExtension.create();

    private final Tracing tracing = Tracing.of(TELEMETRY.getOpenTelemetry());
    private final Tracer tracer = TELEMETRY.getOpenTelemetry().getTracer("test");
    private final List<Node> nodes = new ArrayList<>();
    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private Group join(String name) {
        String[] seeds = nodes.stream().limit(1).map(Node::address).toArray(String[]::new);
        nodes.add(Node.tcp(0).name(name).seeds(seeds).start());
        return nodes.getLast().group("orders")
                .onMessage(tracing.listener("orders", message -> {
                    Span span = Span.current();
                    received.add(name + " " + message.text() + " " + message.length() + " " + span.getSpanContext().getTraceId());
                }))
                .join();
    }

    private String next() throws InterruptedException {
        String text = received.poll(20, TimeUnit.SECONDS);
        assertThat(text).as("a message").isNotNull();
        return text;
    }

    private static SpanData span(SpanKind kind, int which) {
        List<SpanData> spans = TELEMETRY.getSpans().stream().filter(span -> span.getKind() == kind).toList();
        return spans.get(which);
    }

    @Test
    void aTraceGoesOnAtEveryReceiver() throws InterruptedException {
        Group first = join("a");
        join("b");
        Await.until("two members", () -> first.view().size() == 2);
        Span order = tracer.spanBuilder("order").startSpan();
        try (Scope scope = order.makeCurrent()) {
            assertThat(scope).isNotNull();
            tracing.send(first, "buy".getBytes(StandardCharsets.UTF_8));
        } finally {
            order.end();
        }
        String trace = order.getSpanContext().getTraceId();
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("a buy 3 " + trace, "b buy 3 " + trace);
        Await.until("four spans", () -> TELEMETRY.getSpans().size() >= 4);
        SpanData sent = span(SpanKind.PRODUCER, 0);
        assertThat(sent.getName()).isEqualTo("send orders");
        assertThat(sent.getParentSpanId()).isEqualTo(order.getSpanContext().getSpanId());
        for (int which : new int[] {0, 1}) {
            SpanData processed = span(SpanKind.CONSUMER, which);
            assertThat(processed.getParentSpanId()).isEqualTo(sent.getSpanId());
            assertThat(processed.getAttributes().get(AttributeKey.stringKey("tutti.sender"))).isEqualTo("a");
            assertThat(processed.getAttributes().get(AttributeKey.longKey("messaging.message.body.size"))).isEqualTo(3);
        }
    }

    @Test
    void unicastsAreTracedAndMessagesOutsideOfSpansAreNot() throws InterruptedException {
        Group alone = join("a");
        tracing.send(alone, new byte[] {'x'});
        assertThat(next()).isEqualTo("a x 1 " + "0".repeat(32));
        assertThat(TELEMETRY.getSpans()).isEmpty();
        Span span = tracer.spanBuilder("ask").startSpan();
        try (Scope scope = span.makeCurrent()) {
            assertThat(scope).isNotNull();
            tracing.sendTo(alone, alone.self(), new byte[0]);
        } finally {
            span.end();
        }
        assertThat(next()).isEqualTo("a  0 " + span.getSpanContext().getTraceId());
    }

    @Test
    void messagesWithoutAnEnvelopeComeThroughAsTheyAre() throws InterruptedException {
        Group alone = join("a");
        alone.send("plain");
        alone.send("");
        assertThat(next()).startsWith("a plain 5 ");
        assertThat(next()).startsWith("a  0 ");
        assertThat(tracing.malformed()).isZero();
    }

    @Test
    void anEnvelopeThatLiesIsLeftAlone() {
        byte[] whole = tracing.wrap(Context.root(), "body".getBytes(StandardCharsets.UTF_8));
        for (int length : new int[] {5, Tracing.CONTEXT_BYTES_MAX, 0xFFFF}) {
            byte[] lie = whole.clone();
            ByteBuffer.wrap(lie).putShort(4, (short) length);
            List<Integer> lengths = new ArrayList<>();
            tracing.listener("g", message -> lengths.add(message.length())).accept(new Bare(lie));
            assertThat(lengths).containsExactly(lie.length);
        }
        assertThat(tracing.malformed()).isEqualTo(3);
        for (int length = 0; length < whole.length; length++) {
            List<Integer> lengths = new ArrayList<>();
            tracing.listener("g", message -> lengths.add(message.length())).accept(new Bare(java.util.Arrays.copyOf(whole, length)));
            assertThat(lengths).hasSize(1);
        }
    }

    @Test
    void aListenerThatFailsMarksItsSpanAndFails() {
        Span span = tracer.spanBuilder("order").startSpan();
        byte[] bytes = tracing.wrap(Context.root().with(span), new byte[] {1});
        assertThatThrownBy(() -> tracing.listener("g", message -> {
            throw new IllegalStateException("on purpose");
        }).accept(new Bare(bytes))).hasMessage("on purpose");
        assertThat(span(SpanKind.CONSUMER, 0).getStatus().getDescription()).isEqualTo("on purpose");
        span.end();
    }

    /** A message that nobody has sent. */
    private record Bare(byte[] bytes) implements Message {

        private static final Member SENDER = new Member(new dev.tutti.core.NodeId(1, "x", "host:1"), 1);

        @Override
        public Member sender() {
            return SENDER;
        }

        @Override
        public View view() {
            return View.alone(SENDER);
        }

        @Override
        public boolean isUnicast() {
            return false;
        }

        @Override
        public int length() {
            return bytes.length;
        }

        @Override
        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
        }

        @Override
        public InputStream stream() {
            return InputStream.nullInputStream();
        }
    }
}
