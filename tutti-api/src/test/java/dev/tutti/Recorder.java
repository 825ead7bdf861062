package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Listens to a group and lets a test wait for what it expects, with a deadline. */
final class Recorder {

    /** A message as it was delivered. */
    record Got(String sender, String text, int length, boolean isUnicast) {}

    private static final long DEADLINE_SECONDS = 20;

    private final List<Got> messages = new ArrayList<>();
    private final List<View> views = new ArrayList<>();
    private String closed = "";

    synchronized void onMessage(Message message) {
        String text = message.length() <= 1_000 ? message.text() : "";
        messages.add(new Got(message.sender().name(), text, message.length(), message.isUnicast()));
        notifyAll();
    }

    synchronized void onView(View view) {
        views.add(view);
        notifyAll();
    }

    synchronized void onClosed(String reason) {
        closed = reason;
        notifyAll();
    }

    GroupBuilder on(GroupBuilder builder) {
        return builder.onMessage(this::onMessage).onView(this::onView).onClosed(this::onClosed);
    }

    synchronized List<Got> messages() {
        return new ArrayList<>(messages);
    }

    synchronized List<String> texts() {
        return messages.stream().map(Got::text).toList();
    }

    synchronized List<View> views() {
        return new ArrayList<>(views);
    }

    synchronized String closed() {
        return closed;
    }

    synchronized View awaitViewOf(int members) throws InterruptedException {
        await("a view of " + members, recorder -> !views.isEmpty() && views.getLast().size() == members);
        return views.getLast();
    }

    synchronized void awaitMessages(int count) throws InterruptedException {
        await(count + " messages", recorder -> messages.size() >= count);
    }

    synchronized void await(String what, Predicate<Recorder> condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.test(this)) {
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            assertThat(leftMillis)
                    .as("waiting for %s; views %s, %s messages", what, views, messages.size())
                    .isPositive();
            wait(leftMillis);
        }
    }
}
