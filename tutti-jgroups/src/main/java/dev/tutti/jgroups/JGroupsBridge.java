package dev.tutti.jgroups;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.presence.Presence;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.ChannelListener;
import org.jgroups.JChannel;
import org.jgroups.Receiver;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A member of a cluster of JGroups and of a group, which relays messages to all both ways: programs move from one to the other without a stop. Each
 * message keeps its bytes. Its sender on the other side is the bridge, and the messages of one sender keep their order.
 *
 * <p>Several bridges between the same cluster and group make one: they meet in a group of their own, named as the group with {@value #BRIDGES} at
 * its end, whose coordinator relays. When it crashes, the next one relays from the view on that tells it. Messages of that moment are relayed by both,
 * or by neither: a program that moves has to bear that, or moves while nothing is sent.
 *
 * <p>Not relayed are messages to single members, states and views. A bridge is as slow as the slower side: JGroups' and tutti's flow control reach
 * through it. A message that one side does not accept is lost for it, counted, and warned of once a minute.
 *
 * <p>All methods may be called from any thread.
 */
public final class JGroupsBridge implements AutoCloseable {

    private static final Logger LOG = Logs.of(JGroupsBridge.class);
    static final String BRIDGES = ".bridges";
    private static final String ADDRESS = "address";

    private final Node node;
    private final JChannel channel;
    private final Function<org.jgroups.Message, byte @Nullable []> converter;
    private final Bridges bridges = new Bridges();
    private final Losses losses = new Losses(LOG);
    private final LongAdder toGroup = new LongAdder();
    private final LongAdder toChannel = new LongAdder();
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    /** Null until everything is joined, which {@link #isRelaying} waits for. */
    private volatile @Nullable Presence<String, String> presence;

    private volatile @Nullable Group group;

    private JGroupsBridge(Node node, JChannel channel, Function<org.jgroups.Message, byte @Nullable []> converter) {
        this.node = node;
        this.channel = channel;
        this.converter = converter;
    }

    /** Joins both sides, as {@link #join(JChannel, String, GroupBuilder, Function)} does, and relays messages that have bytes. */
    public static JGroupsBridge join(JChannel channel, String cluster, GroupBuilder group) throws Exception {
        return join(channel, cluster, group, JGroupsBridge::bytes);
    }

    /**
     * Joins both sides, and relays until it is closed.
     *
     * @param channel not connected; it is the bridge's own from now on, with its receiver, and closed with it
     * @param cluster name of the cluster of JGroups
     * @param group still to be joined; its listeners are set here
     * @param converter bytes for the group of a message of JGroups; null if it has none, and is not relayed. Called on JGroups' threads
     * @throws Exception if JGroups can't connect, as thrown by it; nothing is joined then
     */
    public static JGroupsBridge join(
            JChannel channel, String cluster, GroupBuilder group, Function<org.jgroups.Message, byte @Nullable []> converter) throws Exception {
        Objects.requireNonNull(cluster, "join: the cluster");
        Objects.requireNonNull(converter, "join: the converter");
        JGroupsBridge bridge = new JGroupsBridge(group.node(), Objects.requireNonNull(channel, "join: the channel"), converter);
        try {
            bridge.open(cluster, group);
        } catch (Exception e) {
            bridge.close();
            throw e;
        }
        return bridge;
    }

    private void open(String cluster, GroupBuilder builder) throws Exception {
        channel.setDiscardOwnMessages(true);
        channel.setReceiver(new FromJGroups());
        channel.addChannelListener(new Ends());
        channel.connect(cluster);
        Presence<String, String> others = Presence.on(node.group(builder.name() + BRIDGES), Codec.TEXT, Codec.TEXT)
                .with(ADDRESS, text(channel.getAddress()))
                .onChange(bridges::note)
                .join();
        presence = others;
        group = builder.onMessage(this::toJGroups).onClosed(reason -> ended.complete("the group is left: " + reason)).join();
        LOG.info("{} relays between cluster {} of JGroups and group {}, with bridges {}", node.name(), cluster, builder.name(), others.view());
    }

    private static String text(Address address) {
        return address instanceof UUID id ? id.toStringLong() : address.toString();
    }

    private static byte @Nullable [] bytes(org.jgroups.Message message) {
        if (!message.hasArray()) {
            return null;
        }
        byte[] array = message.getArray();
        return array == null ? new byte[0] : Arrays.copyOfRange(array, message.getOffset(), message.getOffset() + message.getLength());
    }

    // ------------------------------------------------------------------ state

    /** Returns whether this bridge relays, and not another one, as far as it knows. */
    public boolean isRelaying() {
        Presence<String, String> others = presence;
        if (others == null || group == null) {
            return false;
        }
        View view = others.view();
        return view.coordinator().equals(others.self());
    }

    /** Returns a future that completes with the reason when one of the sides is lost, or the bridge is closed. */
    public CompletableFuture<String> ended() {
        return ended.copy();
    }

    /** Returns counters by name, for people: messages relayed to each side, and not relayed, by reason. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        status.put("to-group", toGroup.sum());
        status.put("to-jgroups", toChannel.sum());
        for (Losses.Reason reason : Losses.Reason.values()) {
            status.put("lost-" + reason.name().toLowerCase(Locale.ROOT).replace('_', '-'), losses.count(reason));
        }
        return status;
    }

    // ------------------------------------------------------------------ relaying

    private void lose(Losses.Reason reason, Object sender, @Nullable Throwable cause) {
        losses.note(reason, sender, node.threads().nanoTime(), cause);
    }

    private void toJGroups(Message message) {
        if (!isRelaying() || bridges.hasNode(message.sender().node())) {
            return;
        }
        if (message.isUnicast()) {
            lose(Losses.Reason.UNICAST, message.sender(), null);
            return;
        }
        try {
            channel.send(new BytesMessage(null, message.bytes()));
            toChannel.increment();
        } catch (Exception e) {
            lose(Losses.Reason.CHANNEL, message.sender(), e);
        }
    }

    private void toGroup(org.jgroups.Message message) {
        Group joined = group;
        if (joined == null || !isRelaying() || bridges.hasAddress(text(message.getSrc()))) {
            return;
        }
        if (message.getDest() != null) {
            lose(Losses.Reason.UNICAST, message.getSrc(), null);
            return;
        }
        byte[] bytes = converter.apply(message);
        if (bytes == null) {
            lose(Losses.Reason.NO_BYTES, message.getSrc(), null);
            return;
        }
        try {
            joined.send(bytes);
            toGroup.increment();
        } catch (SendException e) {
            lose(Losses.Reason.GROUP, message.getSrc(), e);
        }
    }

    /** Messages of JGroups, on its threads. */
    private final class FromJGroups implements Receiver {
        @Override
        public void receive(org.jgroups.Message message) {
            toGroup(message);
        }
    }

    /** The end of the channel, which JGroups tells after a disconnection by hand, too. */
    private final class Ends implements ChannelListener {
        @Override
        public void channelDisconnected(JChannel disconnected) {
            ended.complete("the channel of JGroups is disconnected");
        }

        @Override
        public void channelClosed(JChannel closed) {
            ended.complete("the channel of JGroups is closed");
        }
    }

    /** Leaves both sides. Idempotent. */
    @Override
    public void close() {
        ended.complete("the bridge is closed");
        Group joined = group;
        if (joined != null) {
            joined.close();
        }
        channel.close();
        // The last, so that the next bridge begins when this one relays nothing any more.
        Presence<String, String> others = presence;
        if (others != null) {
            others.close();
        }
    }

    @Override
    public String toString() {
        return "bridge of JGroups and " + group;
    }
}
