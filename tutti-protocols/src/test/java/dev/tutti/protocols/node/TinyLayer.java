package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** A whole stack for tests of what is below it: the view is whoever has a session, and packets just pass. */
final class TinyLayer implements Layer {

    private final Member self;
    private final TreeSet<Member> members = new TreeSet<>();
    private long views;
    final ArrayDeque<Packet> outgoing = new ArrayDeque<>();
    Member expelled;
    final List<String> signals = new ArrayList<>();

    TinyLayer(Member self) {
        this.self = self;
        members.add(self);
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        throw new AssertionError("the only layer");
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        out.deliver(packet);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.Peer.Opened(Member member, int version) -> {
                signals.add("opened " + member.name());
                members.add(member);
                install(out);
            }
            case Signal.Peer.Closed(Member member, boolean isGraceful, String reason) -> {
                signals.add((isGraceful ? "left " : "lost ") + member.name() + ": " + reason);
                members.remove(member);
                install(out);
            }
            case Signal.Departure.Leave() -> out.lower(new Signal.Departure.Left("left"));
            default -> {
                if (views == 0) {
                    install(out);
                }
                if (expelled != null) {
                    out.lower(new Signal.Peer.Expel(expelled, "for a test"));
                    expelled = null;
                }
                for (Packet packet = outgoing.poll(); packet != null; packet = outgoing.poll()) {
                    out.send(packet);
                }
            }
        }
    }

    private void install(Outbox out) {
        views++;
        View view = new View(new ViewId(views, 1, self), List.copyOf(members), List.of());
        out.lower(new Signal.ViewChange.Installed(view, 1, true));
        out.raise(new Signal.ViewChange.Installed(view, 1, true));
    }
}
