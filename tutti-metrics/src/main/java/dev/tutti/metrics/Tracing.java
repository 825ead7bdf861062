package dev.tutti.metrics;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * OpenTelemetry traces that continue at the members that receive a message.
 *
 * {@snippet :
 * Tracing tracing = Tracing.of(openTelemetry);
 * Group group = node.group("orders").onMessage(tracing.listener("orders", this::onOrder)).join();
 * tracing.send(group, order);
 * }
 *
 * <p>A message sent within a span gets a span of its own, whose context goes before the message's bytes, in an envelope
 * that listeners made here remove; each call of a listener is a span below it. A message sent outside of a span has an
 * empty envelope of six bytes, and makes no spans. Messages without an envelope are passed on unchanged, so that a
 * group can begin to trace member by member: all listeners first, then senders.
 *
 * <p>The protocol does not know of tracing, which costs nothing unless it is used
 * (docs/decisions/0185-one-inspection-document.md). Needs {@code io.opentelemetry:opentelemetry-api}, which this module
 * does not bring. All methods may be called from any thread.
 */
public final class Tracing {

    /**
     * First bytes of an envelope; a message of the application that begins with them and is no envelope is passed on.
     */
    private static final int MAGIC = 0xF0747401;

    /** Bytes of the magic number and the length. */
    private static final int HEAD_BYTES = 6;

    /** Most bytes of a context; a longer one is not sent. */
    static final int CONTEXT_BYTES_MAX = 4_096;

    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final LongAdder malformed = new LongAdder();
    private final LongAdder tooLong = new LongAdder();

    private Tracing(OpenTelemetry openTelemetry) {
        this.tracer = openTelemetry.getTracer("dev.tutti");
        this.propagator = openTelemetry.getPropagators().getTextMapPropagator();
    }

    public static Tracing of(OpenTelemetry openTelemetry) {
        return new Tracing(openTelemetry);
    }

    /** Sends as {@link Group#send(byte[])} does. */
    public void send(Group group, byte[] message) {
        trace(group, null, message, (context, bytes) -> group.send(bytes));
    }

    /** Sends as {@link Group#sendTo(Member, byte[])} does. */
    public void sendTo(Group group, Member receiver, byte[] message) {
        trace(group, receiver, message, (context, bytes) -> group.sendTo(receiver, bytes));
    }

    private void trace(Group group, @Nullable Member receiver, byte[] message, BiConsumer<Context, byte[]> send) {
        Context outer = Context.current();
        if (!Span.fromContext(outer).getSpanContext().isValid()) {
            send.accept(outer, wrap(outer, message));
            return;
        }
        Span span = tracer.spanBuilder("send " + group.name())
                .setSpanKind(SpanKind.PRODUCER)
                .setAttribute("messaging.system", "tutti")
                .setAttribute("messaging.operation.type", "send")
                .setAttribute("messaging.destination.name", group.name())
                .setAttribute("messaging.message.body.size", message.length)
                .startSpan();
        if (receiver != null) {
            span.setAttribute("tutti.receiver", receiver.name());
        }
        try (Scope _ = span.makeCurrent()) {
            send.accept(Context.current(), wrap(Context.current(), message));
        } catch (RuntimeException e) {
            span.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            span.end();
        }
    }

    /** Returns a message in an envelope with a context, for other ways to send. */
    public byte[] wrap(Context context, byte[] message) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (Span.fromContext(context).getSpanContext().isValid()) {
            propagator.inject(context, fields, (carrier, key, value) -> {
                if (carrier != null) {
                    carrier.put(key, value);
                }
            });
        }
        StringBuilder text = new StringBuilder();
        fields.forEach((key, value) -> text.append(key).append('\n').append(value).append('\n'));
        byte[] content = text.toString().getBytes(StandardCharsets.UTF_8);
        if (content.length > CONTEXT_BYTES_MAX) {
            tooLong.increment();
            content = new byte[0];
        }
        return ByteBuffer.allocate(HEAD_BYTES + content.length + message.length)
                .putInt(MAGIC)
                .putShort((short) content.length)
                .put(content)
                .put(message)
                .array();
    }

    /**
     * Returns a listener for {@link dev.tutti.GroupBuilder#onMessage} that removes envelopes, and calls {@code
     * listener} in a span.
     */
    public Consumer<Message> listener(String group, Consumer<? super Message> listener) {
        return message -> receive(group, message, listener);
    }

    private void receive(String group, Message message, Consumer<? super Message> listener) {
        ByteBuffer bytes = message.buffer();
        if (bytes.remaining() < HEAD_BYTES || bytes.getInt(bytes.position()) != MAGIC) {
            listener.accept(message);
            return;
        }
        int length = bytes.getShort(bytes.position() + 4) & 0xFFFF;
        if (length > CONTEXT_BYTES_MAX || length > bytes.remaining() - HEAD_BYTES) {
            malformed.increment();
            listener.accept(message);
            return;
        }
        byte[] content = new byte[length];
        bytes.get(bytes.position() + HEAD_BYTES, content);
        Message inner = new Unwrapped(message, HEAD_BYTES + length);
        if (length == 0) {
            listener.accept(inner);
            return;
        }
        Context parent = propagator.extract(Context.root(), fields(content), FIELDS);
        Span span = tracer.spanBuilder("process " + group)
                .setParent(parent)
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute("messaging.system", "tutti")
                .setAttribute("messaging.operation.type", "process")
                .setAttribute("messaging.destination.name", group)
                .setAttribute("messaging.message.body.size", inner.length())
                .setAttribute("tutti.sender", message.sender().name())
                .setAttribute("tutti.view", message.view().id().toString())
                .startSpan();
        try (Scope _ = parent.with(span).makeCurrent()) {
            listener.accept(inner);
        } catch (RuntimeException e) {
            span.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            span.end();
        }
    }

    /** Returns the fields of lines with a key and with its value, alternating; an odd last line is ignored. */
    private static Map<String, String> fields(byte[] content) {
        String[] lines = new String(content, StandardCharsets.UTF_8).split("\n", -1);
        Map<String, String> fields = new LinkedHashMap<>();
        for (int index = 0; index + 1 < lines.length; index += 2) {
            fields.put(lines[index], lines[index + 1]);
        }
        return fields;
    }

    /** Returns the number of envelopes that could not be read; their messages were passed on with them. */
    public long malformed() {
        return malformed.sum();
    }

    /** Returns the number of contexts longer than {@value #CONTEXT_BYTES_MAX} bytes, which were not sent. */
    public long tooLong() {
        return tooLong.sum();
    }

    private static final TextMapGetter<Map<String, String>> FIELDS = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // and abstract all the same
        public Iterable<String> keys(Map<String, String> carrier) {
            return carrier.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
            return carrier == null ? null : carrier.get(key);
        }
    };

    /** A message without its envelope. */
    private record Unwrapped(Message whole, int head) implements Message {

        @Override
        public Member sender() {
            return whole.sender();
        }

        @Override
        public View view() {
            return whole.view();
        }

        @Override
        public boolean isUnicast() {
            return whole.isUnicast();
        }

        @Override
        public int length() {
            return whole.length() - head;
        }

        @Override
        public byte[] bytes() {
            ByteBuffer content = buffer();
            byte[] bytes = new byte[content.remaining()];
            content.get(bytes);
            return bytes;
        }

        @Override
        public String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        @Override
        public ByteBuffer buffer() {
            ByteBuffer buffer = whole.buffer();
            return buffer.slice(buffer.position() + head, buffer.remaining() - head);
        }

        @Override
        public InputStream stream() {
            return new ByteArrayInputStream(bytes());
        }
    }
}
