package dev.tutti.campaign.lies;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.Wire;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Knowledge of a real process from the frames that it receives and sends: handshakes, and decisions on views. */
final class WireGround implements Ground {

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int GROUP = 32;
    private static final int CUT = 5;
    private static final int KIND_OFFSET = 5;
    private static final int VIEWS_MAX = 16;

    private final TreeMap<Integer, String> names = new TreeMap<>();
    private final TreeMap<String, NodeId> nodes = new TreeMap<>();

    /** Last views that the process is a member of, the latest last. */
    private final ArrayDeque<View> views = new ArrayDeque<>();

    private @Nullable NodeId self;

    void onSent(byte[] frame) {
        NodeId sender = sender(frame);
        if (sender != null) {
            self = sender;
            nodes.put(sender.name(), sender);
        }
        onDecision(frame);
    }

    void onReceived(int connection, byte[] frame) {
        NodeId sender = sender(frame);
        if (sender != null) {
            names.put(connection, sender.name());
            nodes.put(sender.name(), sender);
        }
        onDecision(frame);
    }

    void onDisconnected(int connection) {
        names.remove(connection);
    }

    /** Returns the name of the node at the other end; null before its handshake. */
    @Nullable String nameOf(int connection) {
        return names.get(connection);
    }

    /** Returns the sender of a handshake (docs/wire.md); null if the frame is none. */
    private static @Nullable NodeId sender(byte[] frame) {
        if (frame.length == 0 || frame[0] != HELLO && frame[0] != WELCOME) {
            return null;
        }
        Packet fields = Packet.create(Memory.onHeap(), frame.length).append(frame, 1, frame.length - 1);
        if (frame[0] == HELLO) {
            fields.takeInt();
            fields.takeByte();
            fields.takeByte();
            fields.takeText();
        } else {
            fields.takeByte();
        }
        NodeId sender = Wire.takeNode(fields);
        return fields.isMalformed() ? null : sender;
    }

    private void onDecision(byte[] frame) {
        if (frame.length <= KIND_OFFSET || frame[0] != GROUP || frame[KIND_OFFSET] != CUT) {
            return;
        }
        Packet fields = Packet.create(Memory.onHeap(), frame.length).append(frame, KIND_OFFSET + 1, frame.length - KIND_OFFSET - 1);
        Members known = new Members();
        Wire.takeViewId(fields, known);
        View decided = Wire.takeView(fields, known);
        if (!fields.isMalformed() && decided.members().stream().anyMatch(member -> member.node().equals(self))) {
            views.addLast(decided);
            if (views.size() > VIEWS_MAX) {
                views.removeFirst();
            }
        }
    }

    @Override
    public @Nullable NodeId self() {
        return self;
    }

    @Override
    public List<NodeId> nodes() {
        return List.copyOf(nodes.values());
    }

    @Override
    public @Nullable View view() {
        return views.peekLast();
    }

    /** Reports whether this node precedes the other in the ring of any view that the other may still be in. */
    @Override
    public boolean isRelayTo(String node) {
        return views.stream().anyMatch(view -> {
            List<Member> members = view.members();
            for (int rank = 0; rank < members.size(); rank++) {
                Member before = members.get((rank + members.size() - 1) % members.size());
                if (members.get(rank).name().equals(node) && Objects.equals(before.node(), self)) {
                    return true;
                }
            }
            return false;
        });
    }
}
