package dev.tutti.tomcat.node;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.SessionChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Adapts a group of a node to {@link SessionChannel}. */
public final class GroupChannel implements SessionChannel {

    private final Group group;
    private final JoinResult joinResult;

    private GroupChannel(Group group, JoinResult joinResult) {
        this.group = group;
        this.joinResult = joinResult;
    }

    /**
     * @param settings settings of the group, by name
     */
    public static SessionChannel join(Node node, String name, Map<String, String> settings, Listener listener) {
        GroupBuilder builder = node.group(name);
        settings.forEach(builder::set);
        builder.onView(view -> listener.onView(view, memberOf(node, view)))
                .onMessage(message -> listener.onMessage(message.sender(), message.bytes()))
                .onBatchEnd(listener::onBatchEnd)
                .onClosed(listener::onClosed);
        Group group = ServerThread.call(builder::join);
        return new GroupChannel(group, look(node, group));
    }

    private static JoinResult look(Node node, Group group) {
        List<Member> members = group.view().members();
        if (members.size() > 1) {
            return new JoinResult(true, "joined " + (members.size() - 1) + " other members");
        }
        NodeInspection.Part discovery;
        try {
            discovery = node.inspection().part("discovery");
        } catch (IllegalStateException e) {
            return new JoinResult(false, "alone: " + e.getMessage());
        }
        long seeds = discovery.value("seeds");
        if (seeds == 0) {
            return new JoinResult(true, "alone, without seeds");
        }
        long met = discovery.value("seeds-met");
        long refusing = discovery.value("seeds-refusing");
        long silent = seeds - met - refusing;
        String text = "alone: of " + seeds + " seeds " + refusing + " refuse connections, " + met
                + " do not have this application, " + silent + " have not answered";
        return new JoinResult(silent == 0, text);
    }

    /** Returns the member of the node in the view; a node is in a group at most once. */
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
    public CompletableFuture<Void> post(Member receiver, byte[] message) {
        try {
            return group.sendToAsync(receiver, message);
        } catch (SendException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public boolean trySendTo(Member receiver, byte[] message) {
        try {
            return group.trySendTo(receiver, message, 0, message.length);
        } catch (SendException e) {
            return false;
        }
    }

    @Override
    public JoinResult joinResult() {
        return joinResult;
    }

    @Override
    public void close() {
        group.close();
    }
}
