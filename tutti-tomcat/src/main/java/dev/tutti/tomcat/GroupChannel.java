package dev.tutti.tomcat;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.SessionChannel;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A group of a node, as replication wants it. */
final class GroupChannel implements SessionChannel {

    private final Group group;

    private GroupChannel(Group group) {
        this.group = group;
    }

    /**
     * @param settings of the group, by name
     */
    static SessionChannel join(Node node, String name, Map<String, String> settings, Listener listener) {
        GroupBuilder builder = node.group(name);
        settings.forEach(builder::set);
        return new GroupChannel(builder.onView(view -> listener.onView(view, memberOf(node, view)))
                .onMessage(message -> listener.onMessage(message.sender(), message.bytes()))
                .onClosed(listener::onClosed)
                .join());
    }

    /** A node is in a group at most once. */
    private static Member memberOf(Node node, View view) {
        for (Member member : view.members()) {
            if (member.node().equals(node.id())) {
                return member;
            }
        }
        throw new IllegalStateException("view " + view + " without this node " + node.id());
    }

    @Override
    public CompletableFuture<Void> send(byte[] message) {
        return group.sendAsync(message);
    }

    @Override
    public boolean sendTo(Member receiver, byte[] message) {
        try {
            group.sendTo(receiver, message);
            return true;
        } catch (SendException e) {
            return false;
        }
    }

    @Override
    public void close() {
        group.close();
    }
}
