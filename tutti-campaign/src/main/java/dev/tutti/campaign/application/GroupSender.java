package dev.tutti.campaign.application;

import dev.tutti.Group;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.campaign.nodes.Findings;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Messages that a member sends, in every way that a group offers, and those of them that the group has accepted. */
final class GroupSender {

    private final Context context;
    private final GroupPlan plan;
    private final Content first;
    private final Findings.Reporter reporter;
    private int sent;
    private final TreeSet<Integer> accepted = new TreeSet<>();
    private final List<CompletableFuture<Void>> futures = new ArrayList<>();

    /** @param first any message of the member, which all others differ from by stream, number and length */
    GroupSender(Context context, GroupPlan plan, Content first, Findings.Reporter reporter) {
        this.context = context;
        this.plan = plan;
        this.first = first;
        this.reporter = reporter;
    }

    private void count(String what) {
        context.reached.count(what);
    }

    // ------------------------------------------------------------------ messages

    private int length() {
        return Content.BYTES_MIN + (context.random.nextInt(10) == 0 ? context.random.nextInt(5_000) : context.random.nextInt(60));
    }

    private Content next(int stream, int length) {
        sent++;
        return message(stream, sent, length);
    }

    private Content message(int stream, int number, int length) {
        return new Content(first.group(), first.node(), first.incarnation(), first.seat(), stream, number, length);
    }

    private Member someone(View now) {
        return now.members().get(context.random.nextInt(now.size()));
    }

    private void onAccepted(Content message) {
        if (plan.isReliable()) {
            accepted.add(message.number());
        }
    }

    /** Counts a refused message, and checks that the sender is told the reason. */
    void onRefused(SendException e) {
        count("refused." + e.reason());
        if (e.getMessage() == null || e.getMessage().isBlank()) {
            reporter.report("T5", "was refused a message without a reason: " + e);
        }
    }

    // ------------------------------------------------------------------ ways to send

    /** Performs one random operation of a user. */
    void work(Group group, View now) {
        int choice = context.random.nextInt(20);
        try {
            if (choice < 2 && plan.isOutOfBandSent()) {
                sendOutOfBand(group, now);
            } else if (choice < 6 && plan.isUnicastSent()) {
                sendToOne(group, now);
            } else if (choice < 10 && plan.scopes() > 0) {
                sendScoped(group, now);
            } else if ((choice == 10 || plan.isFlooding() && choice > 10) && plan.largeBytesMax() > 0) {
                Content large = next(Content.SENT, Content.BYTES_MIN + context.random.nextInt(plan.largeBytesMax()));
                group.send(large.bytes());
                onAccepted(large);
                count("sent.large");
            } else if (choice < 13) {
                trySend(group, Content.SENT);
            } else if (choice < 15) {
                sendAsync(group);
            } else {
                for (int burst = 1 + context.random.nextInt(5); burst > 0; burst--) {
                    send(group, Content.SENT);
                }
                count("sent");
            }
        } catch (SendException e) {
            onRefused(e);
        }
    }

    /** Sends a message from a callback; {@code way} is 0 to 3. */
    void sendFromCallback(Group group, View now, int way) {
        switch (way) {
            case 0 -> tryFromCallback(group);
            case 1 -> futures.add(group.sendToAsync(someone(now), next(Content.FROM_CALLBACK, length()).bytes()));
            case 2 -> group.sendTo(someone(now), next(Content.FROM_CALLBACK, length()).bytes());
            case 3 -> send(group, Content.FROM_CALLBACK);
            default -> throw new IllegalArgumentException("there is no way " + way + ", 0 to 3");
        }
    }

    /** Sends a message from a callback if there is room for it. */
    void tryFromCallback(Group group) {
        trySend(group, Content.FROM_CALLBACK);
    }

    /** Sends more than a window, so that sends wait while the group is left. */
    void sendMoreThanAWindow(Group group) {
        for (int message = 0; message < 40; message++) {
            futures.add(group.sendAsync(next(Content.SENT, 15_000).bytes()));
        }
        count("left-with-sends-waiting");
    }

    /**
     * Sends a message that all members have to deliver, in any kind of group, because all faults are over.
     *
     * @return its id; null if the group refuses it
     */
    @Nullable String probe(Group group) {
        Content message = next(Content.SENT, length());
        try {
            group.send(message.bytes());
        } catch (SendException e) {
            onRefused(e);
            return null;
        }
        onAccepted(message);
        return message.id();
    }

    private void send(Group group, int stream) {
        Content message = next(stream, length());
        group.send(message.bytes());
        onAccepted(message);
    }

    private void sendOutOfBand(Group group, View now) {
        Content message = next(Content.OUT_OF_BAND, Content.BYTES_MIN + context.random.nextInt(200));
        if (context.random.nextBoolean()) {
            group.send(message.bytes(), Scope.OUT_OF_BAND);
            onAccepted(message);
        } else {
            group.sendTo(someone(now), message.bytes(), Scope.OUT_OF_BAND);
        }
        count("sent.out-of-band");
    }

    private void sendToOne(Group group, View now) {
        Member receiver = someone(now);
        boolean isLarge = plan.largeBytesMax() > 0 && context.random.nextInt(10) == 0;
        int length = isLarge ? Content.BYTES_MIN + context.random.nextInt(plan.largeBytesMax()) : length();
        if (plan.scopes() > 0 && context.random.nextInt(3) == 0) {
            int scope = context.random.nextInt(plan.scopes());
            group.sendTo(receiver, next(Content.SCOPES + scope, length).bytes(), Scope.of(scope));
        } else {
            group.sendTo(receiver, next(Content.SENT, length).bytes());
        }
        count(isLarge ? "sent.unicast-large" : "sent.unicast");
    }

    private void sendScoped(Group group, View now) {
        int scope = context.random.nextInt(plan.scopes());
        boolean isLarge = plan.largeBytesMax() > 0 && context.random.nextInt(8) == 0;
        int length = isLarge ? Content.BYTES_MIN + context.random.nextInt(plan.largeBytesMax()) : length();
        Content message = next(Content.SCOPES + scope, length);
        group.send(message.bytes(), Scope.of(scope));
        onAccepted(message);
        count(isLarge ? "sent.scoped-large" : "sent.scoped");
    }

    private void trySend(Group group, int stream) {
        Content message = next(stream, length());
        if (group.trySend(message.bytes())) {
            onAccepted(message);
            count("sent.tried");
        } else {
            count("refused.tried");
        }
    }

    private void sendAsync(Group group) {
        Content message = next(Content.SENT, length());
        CompletableFuture<Void> future = group.sendAsync(message.bytes());
        futures.add(future);
        var unused = future.thenRun(() -> onAccepted(message));
        count("sent.asynchronously");
    }

    // ------------------------------------------------------------------ at rest

    /** Forgets the accepted messages, which may be lost with a state that is replaced. */
    void forgetAccepted() {
        accepted.clear();
    }

    /** Checks, when nothing is under way, that no send waits. */
    void checkFutures() {
        for (CompletableFuture<Void> future : futures) {
            if (!future.isDone()) {
                reporter.report("T6", "waits for a message that was to be sent");
            }
        }
    }

    /**
     * Checks, when nothing is under way, that the member was told of its own messages.
     *
     * @param isTold whether it was told of the message with an id
     */
    void checkAccepted(Predicate<String> isTold) {
        TreeSet<Integer> missing = new TreeSet<>(accepted);
        missing.removeIf(number -> isTold(number, isTold));
        if (!missing.isEmpty()) {
            reporter.report("T5", "was never told of its own messages " + missing + ", which were accepted");
        }
    }

    private boolean isTold(int number, Predicate<String> isTold) {
        for (int stream = 0; stream < Content.SCOPES + plan.scopes(); stream++) {
            if (isTold.test(message(stream, number, Content.BYTES_MIN).id())) {
                return true;
            }
        }
        return false;
    }
}
