package dev.tutti.testkit.example;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A number that all members of a group see, and each can count up. This is how one writes it first, and it works in every
 * demonstration: increments go to all, and the oldest member tells newcomers where the count is. See {@link Counter}.
 */
public final class ForgetfulCounter implements AutoCloseable {

    private final AtomicLong value = new AtomicLong();
    private final Node node;
    private final Group group;
    private volatile View view;

    public ForgetfulCounter(Node node) {
        this.node = node;
        group = node.group("counter").onMessage(this::onMessage).onView(this::onView).join();
    }

    /** Adds one, at all members. */
    public void increment() {
        group.send("+1");
    }

    public long value() {
        return value.get();
    }

    private void onMessage(Message message) {
        String text = message.text();
        if (text.equals("+1")) {
            value.incrementAndGet();
        } else {
            value.set(Long.parseLong(text.substring(1)));
        }
    }

    private void onView(View next) {
        View last = view;
        view = next;
        if (last != null && group != null && next.coordinator().node().equals(node.id())) {
            for (Member member : next.members()) {
                if (!last.contains(member)) {
                    group.sendTo(member, ("=" + value).getBytes(StandardCharsets.UTF_8));
                }
            }
        }
    }

    @Override
    public void close() {
        group.close();
    }
}
