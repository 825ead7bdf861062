package dev.tutti.grid.mediator;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Answer;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.internal.door.RefusedException;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.grid.internal.wire.Identity;
import dev.tutti.grid.member.ClientEntry;
import dev.tutti.grid.member.ClientProducer;
import dev.tutti.grid.member.Clients.Registration;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The connection of a client. On the connection's loop; questions are answered on threads of their own. */
final class Session extends SimpleChannelInboundHandler<WebSocketFrame> {

    /** Most entries of a client. */
    static final int ENTRIES_MAX = 10_000;

    /** Most characters of an identity. */
    private static final int ID_MAX = 200;

    /** Most characters of a reason that a client is told: it may repeat the client's texts. */
    private static final int REASON_MAX = 500;

    /** Most questions of a client that wait for their answers. */
    private static final int QUESTIONS_MAX = 16;

    private static final long PING_SECONDS = 5;

    /** Time between confirmations, and the shortest time after which a measurement is confirmed that has left this process. */
    private static final long CONFIRM_SECONDS = 1;

    /** A client that has not been heard for this time is gone. */
    private static final long SILENCE_NANOS = 15_000_000_000L;

    /** Longest time between two pings. A client does not give its mediator up earlier than 10 seconds after it has stopped. */
    private static final long PAUSE_NANOS = 10_000_000_000L;

    private static final int GOING_AWAY = 1001;
    private static final int PROTOCOL_ERROR = 1002;
    private static final int POLICY_VIOLATION = 1008;

    /** Decides whether the client may still use the mediator. */
    interface Admission {

        /** @throws RefusedException if it may not any more */
        void check() throws RefusedException;
    }

    private final Service service;
    private final Admission admission;
    private final MediatorSettings settings;
    private final MediatorCounters counters;
    private final Intake intake;
    private final Outbox outbox;
    private final TreeMap<String, ClientEntry> entries = new TreeMap<>();
    private final AtomicInteger questions = new AtomicInteger();
    private @Nullable Future<?> pings;
    private @Nullable Future<?> confirmations;
    private long measurements;
    /** Measurements that had come at {@link #markNanos}. */
    private long marked;
    private long markNanos;
    private long confirmed;
    private boolean isConfirming;
    private long heardNanos = System.nanoTime();
    private long pingedNanos = System.nanoTime();
    private String secret = "";
    private boolean isIdentified;
    private boolean hasEnded;

    Session(Service service, Admission admission, Intake intake, Outbox outbox) {
        this.intake = intake;
        this.service = service;
        this.admission = admission;
        this.settings = service.settings();
        this.counters = service.counters();
        this.outbox = outbox;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        counters.spares.increment();
        pings = context.executor().scheduleAtFixedRate(() -> ping(context), PING_SECONDS, PING_SECONDS, TimeUnit.SECONDS);
        confirmations = context.executor().scheduleAtFixedRate(this::confirm, CONFIRM_SECONDS, CONFIRM_SECONDS, TimeUnit.SECONDS);
        outbox.offer(new ClientMessage.Welcome(settings.grid().site(), settings.node(), settings.lease().toMillis()));
    }

    /** Confirms the measurements that had come by the last time, if they have left this process. One confirmation waits at a time. */
    private void confirm() {
        if (marked > confirmed) {
            if (isConfirming || !settings.clients().isPassedOn(markNanos)) {
                return;
            }
            isConfirming = true;
            confirmed = marked;
            outbox.offer(new ClientMessage.Confirm(confirmed), () -> isConfirming = false);
        }
        marked = measurements;
        markNanos = settings.clients().nanoTime();
    }

    private void ping(ChannelHandlerContext context) {
        pingedNanos = System.nanoTime();
        if (System.nanoTime() - heardNanos > SILENCE_NANOS) {
            counters.silent.increment();
            context.close();
            return;
        }
        String trouble = service.trouble();
        if (!trouble.isEmpty()) {
            end(context, GOING_AWAY, trouble);
            return;
        }
        try {
            admission.check();
        } catch (RefusedException e) {
            counters.unauthorized.increment();
            end(context, POLICY_VIOLATION, e.reason());
            return;
        }
        context.writeAndFlush(new PingWebSocketFrame());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (System.nanoTime() - pingedNanos > PAUSE_NANOS) {
            // This process has been paused. The client may be at another mediator by now, and what it sent here is from before.
            counters.late.increment();
            context.close();
            return;
        }
        heardNanos = System.nanoTime();
        // Frames of these kinds may be between the parts of a message.
        intake.onConsumed(frame instanceof BinaryWebSocketFrame ? 0 : frame.content().readableBytes());
        switch (frame) {
            case BinaryWebSocketFrame binary -> {
                byte[] bytes = new byte[binary.content().readableBytes()];
                binary.content().readBytes(bytes);
                read(context, bytes);
                intake.onConsumed();
            }
            case PingWebSocketFrame ping -> context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
            case PongWebSocketFrame _ -> {
                // It was heard.
            }
            case CloseWebSocketFrame close -> context.writeAndFlush(close.retain()).addListener(_ -> context.close());
            default -> onMalformed(context, "a message that is not binary");
        }
    }

    private void read(ChannelHandlerContext context, byte[] bytes) {
        try {
            ClientMessage.read(bytes, this::onMessage);
        } catch (MalformedException e) {
            onMalformed(context, String.valueOf(e.getMessage()));
        }
    }

    private void onMalformed(ChannelHandlerContext context, String reason) {
        counters.malformed.increment();
        end(context, PROTOCOL_ERROR, reason);
    }

    private static void end(ChannelHandlerContext context, int status, String reason) {
        // A control frame has 125 bytes, and UTF-8 up to four for a character.
        String text = reason.substring(0, Math.min(30, reason.length()));
        context.writeAndFlush(new CloseWebSocketFrame(status, text)).addListener(_ -> context.close());
    }

    /** Counts a connection as that of a client from now on: on a spare one nothing is sent. */
    private void onIdentified() {
        if (!isIdentified) {
            isIdentified = true;
            counters.spares.decrement();
            counters.clients.increment();
        }
    }

    private void onMessage(ClientMessage message) {
        if (hasEnded) {
            return;
        }
        switch (message) {
            case ClientMessage.Identify identify -> {
                secret = identify.secret();
                onIdentified();
            }
            case ClientMessage.Register register -> register(register);
            case ClientMessage.Withdraw(String id) -> {
                ClientEntry entry = entries.remove(id);
                if (entry != null) {
                    entry.close();
                }
            }
            case ClientMessage.Publish(Measurement measurement) -> {
                measurements++;
                publish(measurement);
            }
            case ClientMessage.Lost(String id, long count) -> {
                measurements++;
                if (count > 0 && entries.get(id) instanceof ClientProducer producer) {
                    producer.lose(count);
                }
            }
            case ClientMessage.Load(String id, double load) -> {
                if (entries.get(id) instanceof ClientProducer producer) {
                    load(producer, load);
                }
            }
            case ClientMessage.Find find -> answer(
                    () -> new ClientMessage.Entries(find.question(), settings.grid().find(bounded(find.query()))),
                    reason -> new ClientMessage.Entries(find.question(), Session.<Entry>without(reason)));
            case ClientMessage.Ask ask -> answer(
                    () -> new ClientMessage.Measurements(ask.question(), ask(ask)),
                    reason -> new ClientMessage.Measurements(ask.question(), Session.<Measurement>without(reason)));
            case ClientMessage.Welcome _, ClientMessage.Registered _, ClientMessage.Refused _, ClientMessage.Deliver _,
                    ClientMessage.Missing _, ClientMessage.Confirm _, ClientMessage.Entries _, ClientMessage.Measurements _ ->
                throw new MalformedException("a message of mediators");
        }
    }

    // ------------------------------------------------------------------ entries

    private void register(ClientMessage.Register register) {
        Entry entry = register.entry();
        try {
            checkMayRegister(entry);
            Registration registration = new Registration(entry.id(), entry.registration(), settings.lease());
            ClientEntry registered = register(registration, entry, register.history());
            entries.put(entry.id(), registered);
            if (registered instanceof ClientProducer producer) {
                load(producer, entry.load());
            }
            outbox.offer(new ClientMessage.Registered(entry.id(), entry.registration()));
        } catch (IllegalArgumentException | IllegalStateException e) {
            counters.refused.increment();
            outbox.offer(new ClientMessage.Refused(entry.id(), entry.registration(), brief(e)));
        }
    }

    private static String brief(RuntimeException e) {
        String reason = String.valueOf(e.getMessage());
        return reason.substring(0, Math.min(REASON_MAX, reason.length()));
    }

    private static void load(ClientProducer producer, double load) {
        // A negative one is not known.
        if (load >= 0 && load <= 1) {
            producer.load(load);
        }
    }

    private void checkMayRegister(Entry entry) {
        if (entry.id().length() > ID_MAX) {
            throw new IllegalArgumentException("an identity has at most " + ID_MAX + " characters, not " + entry.id().length());
        }
        if (!Identity.isOf(entry.id(), secret)) {
            throw new IllegalArgumentException("identity " + entry.id() + " is not one of this client, whose identities have the fingerprint of"
                    + " the secret that it has told");
        }
        if (entries.size() >= ENTRIES_MAX && !entries.containsKey(entry.id())) {
            throw new IllegalStateException("the client has " + entries.size() + " entries, and no more are possible");
        }
    }

    private ClientEntry register(Registration registration, Entry entry, int history) {
        return switch (entry.kind()) {
            case PRODUCER -> settings.clients().produce(
                    registration,
                    new ProducerOptions(
                            entry.name(),
                            entry.filters().stream().map(Filter::topic).toList(),
                            entry.type(),
                            entry.schema(),
                            entry.address(),
                            entry.attributes(),
                            Math.min(history, settings.historyMax()),
                            ClockQuality.UNKNOWN));
            case CONSUMER -> settings.clients().subscribe(
                    registration,
                    SubscriptionOptions.of(entry.name(), entry.filters().toArray(Filter[]::new)).attributes(entry.attributes()),
                    new Delivery(entry.id()));
        };
    }

    private final class Delivery implements MeasurementListener {

        private final String consumer;

        Delivery(String consumer) {
            this.consumer = consumer;
        }

        @Override
        public void onMeasurement(Measurement measurement) {
            outbox.offer(new ClientMessage.Deliver(consumer, measurement));
        }

        @Override
        public void onGap(Gap gap) {
            outbox.offer(new ClientMessage.Missing(consumer, gap));
        }
    }

    private void publish(Measurement measurement) {
        if (!(entries.get(measurement.producer()) instanceof ClientProducer producer)) {
            counters.unpublished.increment();
            return;
        }
        try {
            (producer.publish(measurement) ? counters.published : counters.unpublished).increment();
        } catch (IllegalArgumentException | IllegalStateException e) {
            // The client has checked it, or it has registered elsewhere in the meantime.
            counters.unpublished.increment();
        }
    }

    // ------------------------------------------------------------------ questions

    private interface Question {
        ClientMessage ask();
    }

    private interface Failure {
        ClientMessage because(String reason);
    }

    private static <T> Answer<T> without(String reason) {
        return new Answer<>(List.of(), List.of(reason));
    }

    private static Query bounded(Query query) {
        return query.deadline().compareTo(MediatorSettings.DEADLINE_MAX) > 0 ? query.within(MediatorSettings.DEADLINE_MAX) : query;
    }

    private Answer<Measurement> ask(ClientMessage.Ask ask) {
        Duration deadline = Duration.ofMillis(Math.clamp(ask.deadlineMillis(), 1, MediatorSettings.DEADLINE_MAX.toMillis()));
        return ask.isLatest()
                ? settings.grid().latest(ask.filter(), deadline)
                : settings.grid().history(ask.filter(), instant(ask.fromMicros()), instant(ask.toMicros()), deadline);
    }

    private static Instant instant(long micros) {
        if (micros == Long.MIN_VALUE || micros == Long.MAX_VALUE) {
            return micros < 0 ? Instant.MIN : Instant.MAX;
        }
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private void answer(Question question, Failure failure) {
        if (questions.incrementAndGet() > QUESTIONS_MAX) {
            questions.decrementAndGet();
            counters.refused.increment();
            outbox.offer(failure.because("the mediator: " + QUESTIONS_MAX + " questions of this client wait already"));
            return;
        }
        if (!service.questions().tryAcquire()) {
            questions.decrementAndGet();
            counters.refused.increment();
            outbox.offer(failure.because("the mediator: too many questions of all clients are being answered; ask again later"));
            return;
        }
        Thread.ofVirtual().name("tutti-mediator-question").start(() -> {
            ClientMessage message;
            try {
                message = question.ask();
            } catch (RuntimeException e) {
                message = failure.because("the mediator: " + brief(e));
            } finally {
                // The client may have gone, and come again, meanwhile.
                service.questions().release();
            }
            boolean fits = ClientMessage.encode(message).length <= service.answerBytesMax();
            // Answers that the client does not read are its questions, too.
            outbox.offer(
                    fits ? message : failure.because("the answer has more than " + service.answerBytesMax() + " bytes; ask for less"),
                    questions::decrementAndGet);
        });
    }

    // ------------------------------------------------------------------ connection

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        outbox.drain();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        hasEnded = true;
        if (pings != null) {
            pings.cancel(false);
        }
        if (confirmations != null) {
            confirmations.cancel(false);
        }
        (isIdentified ? counters.clients : counters.spares).decrement();
        outbox.close();
        Duration silence = Duration.ofNanos(System.nanoTime() - heardNanos);
        entries.values().forEach(entry -> entry.disconnect(silence));
        entries.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
