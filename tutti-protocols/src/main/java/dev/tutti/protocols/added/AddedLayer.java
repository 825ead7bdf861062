package dev.tutti.protocols.added;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import java.util.List;

/**
 * Fence around a layer of the user's own. If the layer throws, its member leaves the group without a goodbye, as after a
 * crash, and the node goes on with its other groups. The exception is the reason. The packet at hand is left to the garbage
 * collector, because nobody knows who owns it.
 */
final class AddedLayer implements Layer {

    private final String name;
    private final Layer layer;
    private final int countedBytes;
    private boolean hasFailed;

    /** @param countedBytes header that the windows count; 0 if they do not */
    AddedLayer(String name, Layer layer, int countedBytes) {
        this.name = name;
        this.layer = layer;
        this.countedBytes = countedBytes;
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        if (isClosed(packet, out)) {
            return;
        }
        try {
            layer.onSend(packet, out);
        } catch (RuntimeException e) {
            fail("onSend", e, out);
        }
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        if (isClosed(packet, out)) {
            return;
        }
        try {
            layer.onReceive(packet, out);
        } catch (RuntimeException e) {
            fail("onReceive", e, out);
        }
    }

    @Override
    public void onConsumed(Packet packet, Outbox out) {
        if (isClosed(packet, out)) {
            return;
        }
        try {
            layer.onConsumed(packet.untake(countedBytes), out);
        } catch (RuntimeException e) {
            fail("onConsumed", e, out);
        }
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        if (hasFailed) {
            return;
        }
        try {
            layer.onSignal(signal, out);
        } catch (RuntimeException e) {
            fail("onSignal", e, out);
        }
    }

    @Override
    public void onTurnEnd(Outbox out) {
        if (hasFailed) {
            return;
        }
        try {
            layer.onTurnEnd(out);
        } catch (RuntimeException e) {
            fail("onTurnEnd", e, out);
        }
    }

    @Override
    public List<? extends Timer> timers() {
        return layer.timers();
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        if (hasFailed) {
            return;
        }
        try {
            layer.onTimer(timer, out);
        } catch (RuntimeException e) {
            fail("onTimer", e, out);
        }
    }

    @Override
    public void onStop() {
        try {
            layer.onStop();
        } catch (RuntimeException e) {
            // The member has left already. Packets that the layer has not released are left to the garbage collector.
            hasFailed = true;
        }
    }

    @Override
    public void report(Report report) {
        Report section = report.section("layer." + name);
        try {
            layer.report(section);
        } catch (RuntimeException e) {
            section.put("report-failed", e.toString());
        }
    }

    private boolean isClosed(Packet packet, Outbox out) {
        if (hasFailed) {
            out.drop(packet, DropReason.BY_LAYER);
        }
        return hasFailed;
    }

    private void fail(String method, RuntimeException e, Outbox out) {
        hasFailed = true;
        StackTraceElement[] frames = e.getStackTrace();
        out.lower(new Signal.Departure.Failed("layer '" + name + "' threw " + e + " in " + method + (frames.length == 0 ? "" : ", at " + frames[0])));
    }
}
