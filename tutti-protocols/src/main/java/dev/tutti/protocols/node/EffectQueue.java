package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.datagram.Multicast;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Queue of the effects of a turn, in order, until they are handed out. One array per field, so that no effect
 * allocates. Inputs and windows bound the effects of a turn; more than {@value #EFFECTS_MAX} are a bug of this library.
 */
final class EffectQueue implements Effects {

    private enum Kind {
        DIAL,
        DIAL_DIRECTLY,
        WRITE,
        CLOSE,
        MULTICAST,
        PACKET,
        VIEW,
        TRANSITION,
        SUSPENDED,
        KNOWN,
        QUESTION,
        JOINED,
        LEFT,
        EVENT
    }

    private static final int EFFECTS_MAX = 1 << 22;

    private final NodeEvents events;
    private Kind[] kinds = new Kind[64];
    private int[] connections = new int[64];
    private @Nullable Object[] whats = new Object[64];
    private @Nullable Application[] applications = new Application[64];
    private int size;
    private @Nullable Multicast multicast;

    EffectQueue(NodeEvents events) {
        this.events = events;
    }

    @Override
    public void dial(int connection, String address) {
        add(Kind.DIAL, connection, address, null);
    }

    @Override
    public void dialDirectly(int connection, String address) {
        add(Kind.DIAL_DIRECTLY, connection, address, null);
    }

    @Override
    public void write(int connection, Packet frame) {
        add(Kind.WRITE, connection, frame, null);
    }

    @Override
    public void close(int connection, String reason) {
        add(Kind.CLOSE, connection, reason, null);
    }

    void multicast(Multicast multicast, Packet frame) {
        add(Kind.MULTICAST, 0, frame, null);
        this.multicast = multicast;
    }

    void packet(Application application, Packet packet) {
        add(Kind.PACKET, 0, packet, application);
    }

    void view(Application application, View view) {
        add(Kind.VIEW, 0, view, application);
    }

    void transition(Application application) {
        add(Kind.TRANSITION, 0, "", application);
    }

    void suspended(Application application, String reason) {
        add(Kind.SUSPENDED, 0, reason, application);
    }

    void known(Application application, Signal.Receipts.Known known) {
        add(Kind.KNOWN, 0, known, application);
    }

    /** Queues a question to the environment of the machine; the answer is an input. */
    void question(Runnable question) {
        add(Kind.QUESTION, 0, question, null);
    }

    void joined(Application application) {
        add(Kind.JOINED, 0, "", application);
    }

    void left(Application application, String reason) {
        add(Kind.LEFT, 0, reason, application);
    }

    void event(NodeEvents.Event event) {
        add(Kind.EVENT, 0, event, null);
    }

    private void add(Kind kind, int connection, Object what, @Nullable Application application) {
        if (size == kinds.length) {
            if (size >= EFFECTS_MAX) {
                throw new IllegalStateException("a turn has led to " + size + " effects, at most " + EFFECTS_MAX);
            }
            kinds = Arrays.copyOf(kinds, size * 2);
            connections = Arrays.copyOf(connections, size * 2);
            whats = Arrays.copyOf(whats, size * 2);
            applications = Arrays.copyOf(applications, size * 2);
        }
        kinds[size] = kind;
        connections[size] = connection;
        whats[size] = what;
        applications[size] = application;
        size++;
    }

    void drain(Effects driver) {
        for (int index = 0; index < size; index++) {
            Object what = Objects.requireNonNull(whats[index]);
            Application application = applications[index];
            whats[index] = null;
            applications[index] = null;
            switch (kinds[index]) {
                case DIAL -> driver.dial(connections[index], (String) what);
                case DIAL_DIRECTLY -> driver.dialDirectly(connections[index], (String) what);
                case WRITE -> driver.write(connections[index], (Packet) what);
                case CLOSE -> driver.close(connections[index], (String) what);
                case MULTICAST -> Objects.requireNonNull(multicast).send((Packet) what);
                case EVENT -> events.onEvent((NodeEvents.Event) what);
                case PACKET -> {
                    Packet packet = (Packet) what;
                    Member sender = Objects.requireNonNull(packet.peer());
                    Objects.requireNonNull(application).onPacket(sender, packet);
                }
                case VIEW -> Objects.requireNonNull(application).onView((View) what);
                case TRANSITION -> Objects.requireNonNull(application).onTransition();
                case SUSPENDED -> Objects.requireNonNull(application).onSuspended((String) what);
                case KNOWN -> {
                    Signal.Receipts.Known known = (Signal.Receipts.Known) what;
                    Objects.requireNonNull(application).onKnown(known.ticket(), known.delivery());
                }
                case QUESTION -> ((Runnable) what).run();
                case JOINED -> Objects.requireNonNull(application).onJoined();
                case LEFT -> Objects.requireNonNull(application).onLeft((String) what);
            }
        }
        size = 0;
    }
}
