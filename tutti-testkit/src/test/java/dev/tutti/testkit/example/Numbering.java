package dev.tutti.testkit.example;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import java.util.List;
import java.util.TreeMap;

/**
 * A layer to be tested: gives each packet a number, delivers none twice, and says after 100 ms of silence what its last
 * number was.
 */
final class Numbering implements Layer {

    enum NumberingTimer implements Timer {
        SILENCE
    }

    private static final long SILENCE_NANOS = 100_000_000;

    private final TreeMap<Member, Integer> received = new TreeMap<>();
    private int sent;

    @Override
    public void onSend(Packet packet, Outbox out) {
        sent++;
        out.send(packet.prependInt(sent));
        out.arm(NumberingTimer.SILENCE, SILENCE_NANOS);
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        Member sender = packet.peer();
        int number = packet.takeInt();
        if (packet.isMalformed() || sender == null) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (packet.isEmpty()) {
            packet.release();
        } else if (number <= received.getOrDefault(sender, 0)) {
            out.drop(packet, DropReason.DUPLICATE);
        } else {
            received.put(sender, number);
            out.deliver(packet);
        }
    }

    @Override
    public List<NumberingTimer> timers() {
        return List.of(NumberingTimer.values());
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        out.send(Packet.create(out.memory(), 0).prependInt(sent));
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        if (signal instanceof Signal.Peer.Closed closed) {
            received.remove(closed.member());
        }
        out.forward(signal);
    }

    @Override
    public void report(Report report) {
        Report own = report.section("numbering");
        own.put("sent-packets", sent);
        received.forEach((member, number) -> own.section(member.name()).put("received", number));
    }
}
