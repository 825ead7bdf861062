package dev.tutti.internal.state;

import dev.tutti.GroupState;
import dev.tutti.NodeInspection;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.delivery.DeliveryGate;
import dev.tutti.internal.delivery.Item;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.Records;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The state of a group at one member: which members have it ({@link Agreement}), snapshots for others ({@link
 * Snapshots}), getting it ({@link Installation}), and the items that wait meanwhile ({@link Gate}).
 * docs/design/state.md.
 */
public final class StateTransfer implements DeliveryGate {

    /** The group of this transfer. */
    public interface Owner {

        /** Sends a record about the state; to all if {@code receiver} is null. Never waits. */
        void send(@Nullable Member receiver, byte[] content, int length);

        /** Requests a look at the gate, where listeners are called. From any thread. */
        void onChange();

        /** Returns whether no listener of a message out of band runs. From any thread. */
        boolean isQuiet();

        /** Sends messages of the application to all, on a thread that may wait. */
        void handOver(List<byte[]> messages);

        /** Notes that this member can't get the state, so that it has to leave. From any thread. */
        void onFailed(String reason, @Nullable Throwable cause);

        /** Notes that a callback of the application has thrown; its state is unchanged. From any thread. */
        void onCallbackFailed(String callback, Throwable thrown);
    }

    private static final Logger LOG = Logs.of(StateTransfer.class);
    private static final long LOOP_SECONDS_MAX = 60;

    private final String group;
    private final Host host;
    private final Owner owner;
    private final Agreement agreement;
    private final Snapshots snapshots;
    private final Installation installation;
    private final Backlog backlog;
    private final Gate gate;
    private final AtomicLong malformed = new AtomicLong();
    private volatile @Nullable Cut target;
    private volatile boolean isComplete;
    private volatile boolean isHolding = true;

    /** Accessed on the loop only. */
    private @Nullable Member self;

    public StateTransfer(String group, GroupState state, Settings settings, Host host, Owner owner) {
        this.group = group;
        this.host = host;
        this.owner = owner;
        Fence fence = new Fence(host, (callback, argument, thrown) -> owner.onCallbackFailed(callback, thrown));
        this.agreement = new Agreement(settings.get(GroupSettings.STATE), new Agreed());
        this.snapshots = new Snapshots(
                group,
                state,
                host,
                fence,
                owner::send,
                settings.get(GroupSettings.STATE_SNAPSHOTS),
                settings.get(GroupSettings.STATE_KEEP));
        this.installation = new Installation(
                group,
                state,
                host,
                fence,
                new Installing(),
                settings.get(GroupSettings.STATE_WINDOW).bytes(),
                settings.get(GroupSettings.STATE_TIMEOUT));
        String directory = settings.get(GroupSettings.STATE_DIRECTORY);
        this.backlog = new Backlog(new Backlog.Limits(
                settings.get(GroupSettings.STATE_HELD_MEMORY).bytes(),
                settings.get(GroupSettings.STATE_HELD_FILE).bytes(),
                Path.of(directory.isEmpty() ? System.getProperty("java.io.tmpdir") : directory)));
        this.gate = new Gate(this, snapshots, backlog);
    }

    // ------------------------------------------------------------------ on the loop

    @Override
    public Cut onView(View view) {
        Cut cut = agreement.onView(view);
        if (self == null) {
            self = view.members().getFirst();
        }
        installation.onView(view.transitionalSet(self));
        if (cut.isSettled()) {
            installation.onSettled(new TreeSet<>(view.members()));
        }
        update();
        return cut;
    }

    @Override
    public void onJoined() {
        agreement.onJoined();
        update();
    }

    @Override
    public void onPacket(Member sender, Packet packet) {
        Packet content = Records.stateContent(packet);
        StateRecord record = StateRecord.read(content);
        content.release();
        switch (record) {
            case null -> {
                if (malformed.incrementAndGet() == 1) {
                    LOG.warn("group {}: what {} says about the state can't be decoded", group, sender);
                }
            }
            case StateRecord.Status status -> agreement.onStatus(sender, status);
            case StateRecord.Have have -> agreement.onHave(sender, have);
            case StateRecord.Pull pull -> snapshots.onPull(sender, pull);
            case StateRecord.Grant grant -> snapshots.onGrant(sender, grant);
            case StateRecord.Stop stop -> snapshots.onStop(sender, stop.transfer());
            case StateRecord.Begin begin -> installation.onRecord(sender, begin);
            case StateRecord.Chunk chunk -> installation.onRecord(sender, chunk);
            case StateRecord.End end -> installation.onRecord(sender, end);
            case StateRecord.Refused refused -> installation.onRecord(sender, refused);
        }
        update();
    }

    private void update() {
        isComplete = agreement.isComplete();
    }

    /** Ends the transfer. Idempotent; from any thread. */
    public void onLeft(String reason) {
        installation.close(reason);
        snapshots.close();
    }

    // ------------------------------------------------------------------ where listeners are called

    /** Returns whether an item waits for the state, or may go on to listeners. Snapshots are taken here. */
    @Override
    public Taken take(Item item) {
        Taken taken = gate.take(item);
        isHolding = gate.isClosed();
        return taken;
    }

    @Override
    public void look(Consumer<Item> listeners, Runnable beforeCut) {
        try {
            gate.look(listeners, beforeCut);
        } catch (UncheckedIOException e) {
            // Going on would leave a gap that nobody notices.
            gate.fail();
            owner.onFailed(String.valueOf(e.getMessage()), e);
        }
        isHolding = gate.isClosed();
    }

    @Override
    public void abandon() {
        gate.abandon();
        isHolding = false;
    }

    // ------------------------------------------------------------------ for others

    @Override
    public boolean isHolding() {
        return isHolding;
    }

    @Nullable Cut target() {
        return target;
    }

    void install(Cut cut) {
        // First: no listener of a message out of band may begin any more when the installing thread waits for running
        // ones.
        isHolding = true;
        installation.install(cut);
    }

    /** Ends the membership if the application holds up the state for {@code state.timeout}. From any thread. */
    public void lookAtInstall() {
        installation.look();
    }

    /** Returns whether the application may still be installing a state, needed or not. */
    boolean isInstalling() {
        return installation.isRunning();
    }

    /** Returns the cut whose state the application has installed last; null if there is none. */
    @Nullable Cut installed() {
        return installation.installed();
    }

    /** Notes that the gate has come to a cut, and requests a look at it. */
    void onReached() {
        owner.onChange();
    }

    public StateProgress progress() {
        StateProgress.Phase phase = isComplete && !isHolding
                ? StateProgress.Phase.COMPLETE
                : target == null && !installation.isRunning() ? StateProgress.Phase.AGREEING : StateProgress.Phase.INSTALLING;
        return installation.progress(phase, backlog.bytes());
    }

    @Override
    public Map<String, Object> status() {
        StateProgress progress = progress();
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("phase", progress.phase().name().toLowerCase(Locale.ROOT));
        Member provider = progress.provider();
        status.put("provider", provider == null ? "" : provider.name());
        status.put("waits-for", installation.waitsFor());
        status.put("received-bytes", progress.bytes());
        status.put("total-bytes", progress.totalBytes());
        status.put("held-bytes", progress.heldBytes());
        status.put("held-file-bytes", backlog.fileBytes());
        status.put("held-full", backlog.full());
        status.put("resumed", (long) progress.resumed());
        status.put("restarted", (long) progress.restarted());
        status.put("snapshots", (long) snapshots.count());
        status.put("transfers", (long) snapshots.transfers());
        status.put("sent-bytes", snapshots.sentBytes());
        status.put("malformed", malformed.get());
        return status;
    }

    /** Returns the progress as a part of an inspection. */
    public NodeInspection.Part part() {
        Map<String, Long> values = new LinkedHashMap<>();
        Map<String, String> texts = new LinkedHashMap<>();
        status().forEach((key, value) -> {
            if (value instanceof Long number) {
                values.put(key, number);
            } else {
                texts.put(key, String.valueOf(value));
            }
        });
        return new NodeInspection.Part("state", Map.of(), values, texts);
    }

    /** Acts on the members' decisions; on the loop. */
    private final class Agreed implements Agreement.Owner {

        @Override
        public void sendToAll(StateRecord statement) {
            byte[] content = statement.bytes();
            owner.send(null, content, content.length);
        }

        @Override
        public void onTarget(@Nullable Cut cut) {
            target = cut;
        }

        @Override
        public void onSettled(Cut cut) {
            installation.onSettled(new TreeSet<>(cut.view().members()));
            installation.keepOnly(target);
            LOG.info("group {}: at {} the state of {} goes on; {}", group, cut, cut.holders(), cut.verdict());
            owner.onChange();
        }

        @Override
        public void onLacking(TreeSet<Member> lacking) {
            snapshots.onLacking(lacking);
        }

        @Override
        public void onLost(String reason) {
            owner.onFailed(reason, null);
        }
    }

    /** Answers the questions of the installing thread. */
    private final class Installing implements Installation.Owner {

        @Override
        public void send(Member receiver, StateRecord record) {
            byte[] content = record.bytes();
            owner.send(receiver, content, content.length);
        }

        @Override
        public boolean isQuiet() {
            return owner.isQuiet();
        }

        @Override
        public boolean mayBegin(Cut cut) {
            return onLoop(() -> Optional.of(agreement.onInstalling(cut))).orElse(false);
        }

        @Override
        public boolean mayReplace(Cut cut) {
            return onLoop(() -> Optional.of(agreement.onReplacing(cut))).orElse(false);
        }

        @Override
        public boolean hasState() {
            return gate.hasPassed();
        }

        @Override
        public void onHandedOver(List<byte[]> messages) {
            // Not before this member is idle again: until then its messages wait behind the state.
            host.start("tutti-state-hand-over-" + group, () -> owner.handOver(messages));
        }

        @Override
        public void onIdle() {
            owner.onChange();
        }

        @Override
        public @Nullable Cut later(Cut failed) {
            Cut later = onLoop(() -> Optional.ofNullable(agreement.recut(failed))).orElse(null);
            if (later != null) {
                owner.onChange();
            }
            return later;
        }

        @Override
        public boolean onInstalled(Cut cut) {
            boolean isEnough = onLoop(() -> Optional.of(agreement.onInstalled(cut))).orElse(false);
            owner.onChange();
            return isEnough;
        }

        @Override
        public void onFailed(String reason, @Nullable Throwable cause) {
            owner.onFailed(reason, cause);
        }
    }

    /** Asks the loop; empty if it has ended. */
    private <T> Optional<T> onLoop(Supplier<Optional<T>> question) {
        CompletableFuture<Optional<T>> answer = new CompletableFuture<>();
        try {
            host.driver().execute(now -> {
                Optional<T> said = question.get();
                update();
                answer.complete(said);
            });
            return host.get(answer, LOOP_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("group {}: the loop has ended", group);
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the loop does not answer", e);
        }
    }
}
