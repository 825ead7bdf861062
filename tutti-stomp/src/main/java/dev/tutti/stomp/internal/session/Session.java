package dev.tutti.stomp.internal.session;

import dev.tutti.internal.door.Backoff.Attempt;
import dev.tutti.stomp.Access;
import dev.tutti.stomp.Login;
import dev.tutti.stomp.StompSource;
import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.broker.ResumePoint;
import dev.tutti.stomp.internal.broker.ServedGroup;
import dev.tutti.stomp.internal.codec.AckMode;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.Frame;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.FrameWriter;
import dev.tutti.stomp.internal.codec.Headers;
import dev.tutti.stomp.internal.codec.HeartBeat;
import dev.tutti.stomp.internal.codec.StompFault;
import dev.tutti.stomp.internal.codec.StompVersion;
import dev.tutti.stomp.internal.session.Transactions.Action;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client's version, subscriptions, transactions and pending receipts. Belongs to its connection's thread. */
final class Session {

    private enum State {
        NEW,
        LOGGING_IN,
        LOGGED_IN,
        LEAVING,
        ENDED
    }

    /** Headers of a SEND that are not passed on: those that the server sets, and those addressed to it. */
    private static final Set<String> OWN_HEADERS = Set.of(
            "destination", "content-length", "message-id", "subscription", "ack", "receipt", "receipt-id", "transaction");

    private static final int ID_BYTES = 96;
    private static final int SUBSCRIPTION_BYTES = 512;
    private static final byte[] NOTHING = new byte[0];

    private final Hub hub;
    private final Shard shard;
    private final StompConnection connection;
    private final EventLoop loop;
    private final Options.ClientLimits limits;

    private State state = State.NEW;
    private @Nullable StompVersion version;
    private Access access = Access.ALL;
    private @Nullable String currentReceipt;

    /** The log-in that waits to be checked. */
    private Attempt attempt = Attempt.IMMEDIATE;

    private final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
    private int subscriptionsMade;
    private final Transactions transactions;
    private int unackedCount;
    private int receiptsWaiting;
    private final Outbox outbox;
    private final Replays replays;
    private final Feeds feeds;

    Session(Hub hub, Shard shard, StompConnection connection) {
        this.hub = hub;
        this.shard = shard;
        this.connection = connection;
        this.loop = shard.loop();
        this.limits = hub.options().client();
        this.transactions = new Transactions(limits);
        this.outbox = new Outbox(loop, hub.counters(), new Reading());
        this.replays = new Replays(connection, hub.counters(), limits, this::deliver);
        this.feeds = new Feeds(connection, loop, this::deliver);
    }

    /** Returns an estimate of the memory held here for the client, rounded up. */
    long heldBytes() {
        return transactions.bytes()
                + feeds.waitingBytes()
                + (long) unackedCount * ID_BYTES
                + (long) subscriptions.size() * SUBSCRIPTION_BYTES
                + (long) receiptsWaiting * ID_BYTES;
    }

    /** Returns the receipt that the current frame asks for, which an ERROR names. */
    @Nullable String receiptOfCurrent() {
        return currentReceipt;
    }

    // ------------------------------------------------------------------ frames

    void onFrame(Frame frame) throws FrameException {
        if (state == State.LEAVING) {
            // Frames after a DISCONNECT are ignored.
            return;
        }
        currentReceipt = frame.header("receipt");
        if (state == State.NEW) {
            switch (frame.command()) {
                case "CONNECT", "STOMP" -> connect(frame);
                default -> throw new FrameException(
                        StompFault.UNEXPECTED, "the first frame is CONNECT or STOMP, not " + frame.command());
            }
            return;
        }
        switch (frame.command()) {
            case "SEND" -> send(frame);
            case "SUBSCRIBE" -> subscribe(frame);
            case "UNSUBSCRIBE" -> unsubscribe(frame);
            case "ACK" -> acknowledge(frame, true);
            case "NACK" -> nack(frame);
            case "BEGIN" -> begin(frame);
            case "COMMIT" -> commit(frame);
            case "ABORT" -> abort(frame);
            case "DISCONNECT" -> disconnect();
            case "CONNECT", "STOMP" -> throw new FrameException(StompFault.UNEXPECTED, "this connection is logged in already");
            default -> throw FrameException.malformed("there is no command " + frame.command() + " for clients of STOMP "
                    + agreed().number());
        }
        currentReceipt = null;
    }

    private StompVersion agreed() {
        return Objects.requireNonNull(version, "no version yet");
    }

    private void connect(Frame frame) throws FrameException {
        StompVersion best = StompVersion.negotiate(frame.header("accept-version"));
        if (best == null) {
            throw new FrameException(
                    StompFault.VERSION,
                    "this server speaks " + StompVersion.ALL + ", the client " + frame.header("accept-version"));
        }
        // 1.1 and 1.2 ask for a host; stomp.py sends none unless it is told to, and nothing here depends on it.
        HeartBeat heartBeat = HeartBeat.parse(frame.header("heart-beat"));
        version = best;
        connection.version(best);
        Login login = new Login(
                orEmpty(frame.header("login")),
                orEmpty(frame.header("passcode")),
                orEmpty(frame.header("host")),
                connection.address(),
                connection.certificates());
        Attempt begun = hub.begin(login);
        if (begun == null) {
            refuse(login, "too many log-ins of this address wait already; try again later");
            return;
        }
        attempt = begun;
        state = State.LOGGING_IN;
        connection.onLoggingIn();
        connection.pause();
        Runnable look = () -> {
            // The log-in counts from now on, even if the client does not wait for its result.
            attempt = Attempt.IMMEDIATE;
            hub.authenticate(login, result -> {
                begun.end(result != null);
                loop.execute(() -> onAuthenticated(result, login, heartBeat));
            });
        };
        if (begun.delayNanos() == 0) {
            look.run();
        } else {
            hub.counters().increment(Counter.LOGINS_DELAYED);
            loop.schedule(() -> {
                if (state == State.LOGGING_IN) {
                    look.run();
                }
            }, begun.delayNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void refuse(Login login, String why) {
        hub.audit().onRefused(login.address(), login.login(), why);
        connection.fail(new FrameException(StompFault.LOGIN, why), null);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private void onAuthenticated(@Nullable Access allowed, Login login, HeartBeat heartBeat) {
        if (state != State.LOGGING_IN) {
            return;
        }
        if (allowed == null) {
            refuse(login, "login '" + login.login() + "' is refused");
            return;
        }
        if (hub.asksForLogIn()) {
            hub.audit().onAdmitted(login.address(), login.login(), login.certificates().isEmpty() ? "log-in" : "certificate");
        }
        access = allowed;
        state = State.LOGGED_IN;
        long own = hub.options().times().heartBeatMillis();
        long sendMillis = HeartBeat.agree(own, heartBeat.wantsMillis());
        long receiveMillis = HeartBeat.agree(heartBeat.givesMillis(), own);
        Headers headers = new Headers();
        headers.add("version", agreed().number());
        headers.add("heart-beat", own + "," + own);
        headers.add("server", hub.product());
        headers.add("session", hub.nextSession());
        headers.add("endpoints", hub.members().others());
        connection.write(FrameWriter.write(agreed(), "CONNECTED", headers, NOTHING));
        connection.heartBeats(receiveMillis, sendMillis);
        connection.onLoggedIn();
        hub.counters().increment(Counter.LOGGED_IN);
        connection.resume();
    }

    // ------------------------------------------------------------------ sending

    private void send(Frame frame) throws FrameException {
        Destination destination = Destination.exact(frame.required("destination"));
        ServedGroup group = hub.group(destination);
        StompSource source = hub.source(destination);
        if (group == null && source == null) {
            throw new FrameException(
                    StompFault.NO_DESTINATION,
                    "'" + destination.text() + "' belongs to no group here; destinations begin with " + hub.prefixes());
        }
        if (!access.maySend(destination.text())) {
            throw new FrameException(StompFault.FORBIDDEN, "this client may not send to '" + destination.text() + "'");
        }
        if (group == null) {
            Feeds.send(Objects.requireNonNull(source), destination, frame, OWN_HEADERS);
            acknowledgeFrame();
            return;
        }
        Headers headers = new Headers();
        for (int index = 0; index < frame.headers().count(); index++) {
            if (!OWN_HEADERS.contains(frame.headers().name(index))) {
                headers.add(frame.headers().name(index), frame.headers().value(index));
            }
        }
        Content content = new Content(destination, headers, frame.body());
        String transaction = frame.header("transaction");
        if (transaction != null) {
            transactions.add(transaction, new Action.Send(group, content), content.bytes());
            acknowledgeFrame();
        } else {
            publish(Map.of(group, List.of(content)));
        }
    }

    /** Publishes the contents of one frame; its receipt goes out when all members have all of them. */
    private void publish(Map<ServedGroup, List<Content>> contents) throws FrameException {
        Runnable onHeld = currentReceipt == null ? null : receiptAfter(contents.size(), currentReceipt);
        for (var entry : contents.entrySet()) {
            outbox.add(entry.getKey(), entry.getValue(), onHeld);
        }
        outbox.send();
    }

    /** Returns a task that sends the receipt when it has run {@code count} times, on any thread. */
    private Runnable receiptAfter(int count, String receipt) throws FrameException {
        if (receiptsWaiting >= limits.receiptsMax()) {
            throw new FrameException(
                    StompFault.RECEIPTS, limits.receiptsMax() + " receipts wait for their groups already (stomp.receipts-max)");
        }
        receiptsWaiting++;
        int[] remaining = {count};
        return () -> loop.execute(() -> {
            remaining[0]--;
            if (remaining[0] == 0) {
                receiptsWaiting--;
                hub.counters().increment(Counter.CONFIRMATIONS);
                receipt(receipt);
            }
        });
    }

    /** Reading from the client pauses while a group has no room. */
    private final class Reading implements Outbox.Source {

        @Override
        public void onBlocked() {
            connection.pause();
        }

        @Override
        public void onSent() {
            if (state == State.LEAVING || state == State.LOGGED_IN) {
                connection.resume();
            }
            if (state == State.LEAVING) {
                leaveIfDone();
            }
        }

        @Override
        public void onRefused(FrameException reason) {
            connection.fail(reason, null);
        }
    }

    // ------------------------------------------------------------------ subscriptions

    private void subscribe(Frame frame) throws FrameException {
        String text = frame.required("destination");
        Destination destination = Destination.pattern(text);
        String id = agreed() == StompVersion.V10 ? frame.header("id") : frame.required("id");
        String key = id == null ? "destination " + text : "id " + id;
        if (subscriptions.containsKey(key)) {
            throw new FrameException(StompFault.UNEXPECTED, "there is a subscription with " + key + " already");
        }
        if (subscriptions.size() >= limits.subscriptionsMax()) {
            throw new FrameException(
                    StompFault.SUBSCRIPTIONS, "a client has at most " + limits.subscriptionsMax() + " subscriptions (stomp.subscriptions-max)");
        }
        List<ServedGroup> groups = hub.groups(destination);
        StompSource source = hub.source(destination);
        if (groups.isEmpty() && !destination.isInfo() && source == null) {
            throw new FrameException(
                    StompFault.NO_DESTINATION, "'" + text + "' belongs to no group here; destinations begin with " + hub.prefixes());
        }
        if (!destination.isInfo() && !access.maySubscribe(text)) {
            throw new FrameException(StompFault.FORBIDDEN, "this client may not subscribe to '" + text + "'");
        }
        AckMode ackMode = AckMode.of(frame.header("ack"));
        String resume = frame.header("resume");
        List<Subscription.Replay> passes = new ArrayList<>();
        if (resume != null) {
            ResumePoint point = ResumePoint.parse(resume);
            for (ServedGroup group : groups) {
                // Positions first, the check for dropped messages second: those dropped in between are noticed later.
                passes.add(new Subscription.Replay(group, point));
                point.check(group.history());
            }
        }
        subscriptionsMade++;
        Subscription subscription = new Subscription(this, id, subscriptionsMade, destination, ackMode, agreed());
        subscription.replays(passes);
        if (source == null) {
            shard.subscriptions().add(subscription);
        } else {
            feeds.subscribe(source, subscription, frame);
        }
        subscriptions.put(key, subscription);
        hub.onSubscribed(1);
        acknowledgeFrame();
        if (destination.isInfo()) {
            Publication info = hub.members().info();
            info.retain(1);
            deliver(subscription, info);
            info.release();
        }
        replays.replay(subscription);
    }

    private void unsubscribe(Frame frame) throws FrameException {
        String id = frame.header("id");
        if (id == null && agreed() != StompVersion.V10) {
            id = frame.required("id");
        }
        Subscription gone = subscriptions.remove(id == null ? "destination " + frame.required("destination") : "id " + id);
        if (gone == null) {
            throw new FrameException(StompFault.UNEXPECTED, "there is no such subscription");
        }
        drop(gone);
        acknowledgeFrame();
    }

    private void drop(Subscription subscription) {
        if (!feeds.end(subscription)) {
            shard.subscriptions().remove(subscription);
        }
        unackedCount -= subscription.unacked().size();
        subscription.unacked().clear();
        hub.onSubscribed(-1);
    }

    /** Writes a MESSAGE. */
    void deliver(Subscription subscription, Publication publication) {
        if (connection.isClosing()) {
            return;
        }
        byte[] ack = NOTHING;
        if (subscription.ackMode() != AckMode.AUTO) {
            if (subscription.unacked().size() >= limits.unackedMax()) {
                connection.fail(
                        new FrameException(
                                StompFault.UNACKED,
                                limits.unackedMax() + " messages wait for ACK already (stomp.unacked-max)"),
                        null);
                return;
            }
            if (subscription.unacked().add(publication.id())) {
                unackedCount++;
            }
            if (agreed() == StompVersion.V12) {
                ack = ("ack:" + subscription.ackId(publication.id()) + "\n").getBytes(StandardCharsets.UTF_8);
            }
        }
        connection.write(subscription, ack, publication, publication.tail(agreed()));
    }

    /** Continues replays, since there is room for more messages to be read or acknowledged. */
    void onRoom() {
        if (state == State.LOGGED_IN) {
            replays.onRoom(subscriptions.values());
            feeds.onRoom();
        }
    }

    // ------------------------------------------------------------------ acknowledging

    private void nack(Frame frame) throws FrameException {
        if (agreed() == StompVersion.V10) {
            throw FrameException.malformed("there is no NACK in STOMP 1.0");
        }
        acknowledge(frame, false);
    }

    private void acknowledge(Frame frame, boolean isAck) throws FrameException {
        if (agreed() == StompVersion.V12) {
            frame.required("id");
        } else {
            frame.required("message-id");
        }
        if (agreed() == StompVersion.V11) {
            frame.required("subscription");
        }
        String transaction = frame.header("transaction");
        if (transaction != null) {
            transactions.add(transaction, new Action.Settle(frame, isAck), 2 * ID_BYTES + frame.headers().length());
        } else {
            settle(frame, isAck);
        }
        acknowledgeFrame();
    }

    private void settle(Frame frame, boolean isAck) {
        int count = 0;
        if (agreed() == StompVersion.V12) {
            String id = orEmpty(frame.header("id"));
            int slash = id.indexOf('/');
            for (Subscription subscription : subscriptions.values()) {
                if (slash > 0 && id.substring(0, slash).equals(Integer.toString(subscription.number()))) {
                    count += subscription.settle(id.substring(slash + 1));
                }
            }
        } else {
            String messageId = orEmpty(frame.header("message-id"));
            String wanted = frame.header("subscription");
            for (Subscription subscription : subscriptions.values()) {
                if (wanted == null || wanted.equals(subscription.id())) {
                    count += subscription.settle(messageId);
                }
            }
        }
        unackedCount -= count;
        if (count == 0) {
            // It may have crossed an UNSUBSCRIBE, and so is no reason to disconnect.
            hub.counters().increment(Counter.ACKS_UNKNOWN);
        } else {
            hub.counters().add(isAck ? Counter.ACKED : Counter.NACKED, count);
            onRoom();
        }
    }

    // ------------------------------------------------------------------ transactions

    private void begin(Frame frame) throws FrameException {
        transactions.begin(frame.required("transaction"));
        acknowledgeFrame();
    }

    private void commit(Frame frame) throws FrameException {
        Map<ServedGroup, List<Content>> contents = new LinkedHashMap<>();
        for (Action action : transactions.end(frame.required("transaction"))) {
            switch (action) {
                case Action.Send(ServedGroup group, Content content) ->
                    contents.computeIfAbsent(group, _ -> new ArrayList<>()).add(content);
                case Action.Settle(Frame settled, boolean isAck) -> settle(settled, isAck);
            }
        }
        if (contents.isEmpty()) {
            acknowledgeFrame();
        } else {
            publish(contents);
        }
    }

    private void abort(Frame frame) throws FrameException {
        transactions.end(frame.required("transaction"));
        acknowledgeFrame();
    }

    // ------------------------------------------------------------------ receipts, and the end

    /** Sends the receipt of the current frame, if it asks for one. */
    private void acknowledgeFrame() {
        String receipt = currentReceipt;
        if (receipt != null) {
            receipt(receipt);
        }
    }

    private void receipt(String receipt) {
        if (connection.isClosing()) {
            return;
        }
        hub.counters().increment(Counter.RECEIPTS_SENT);
        connection.write(FrameWriter.write(agreed(), "RECEIPT", Headers.of("receipt-id", receipt), NOTHING));
        if (state == State.LEAVING) {
            leaveIfDone();
        }
    }

    /** Sends the receipt when all members have everything that the client has sent, even without receipts for that. */
    private void disconnect() throws FrameException {
        state = State.LEAVING;
        transactions.clear();
        if (currentReceipt == null || outbox.groups().isEmpty()) {
            acknowledgeFrame();
            leaveIfDone();
            return;
        }
        Map<ServedGroup, List<Content>> markers = new LinkedHashMap<>();
        outbox.groups().forEach(group -> markers.put(group, List.of()));
        publish(markers);
    }

    private void leaveIfDone() {
        if (receiptsWaiting == 0 && outbox.isEmpty()) {
            connection.close();
        }
    }

    void writeError(FrameException reason, @Nullable String receipt) {
        Headers headers = Headers.of("message", reason.text(), "content-type", "text/plain", "fault", reason.fault().label());
        if (reason.fault() == StompFault.VERSION) {
            headers.add("version", StompVersion.ALL);
        }
        if (receipt != null) {
            headers.add("receipt-id", receipt);
        }
        // Where a log-in is required, a client that has not logged in learns nothing of the cluster.
        String others = hub.asksForLogIn() && !connection.isLoggedIn() ? "" : hub.members().others();
        if (!others.isEmpty()) {
            headers.add("endpoints", others);
        }
        connection.write(FrameWriter.write(
                version, "ERROR", headers, (reason.text() + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    /** Stops serving the client; open transactions are aborted. */
    void end() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        attempt.abandon();
        subscriptions.values().forEach(this::drop);
        subscriptions.clear();
        transactions.clear();
        outbox.end();
    }
}
