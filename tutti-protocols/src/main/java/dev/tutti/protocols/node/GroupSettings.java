package dev.tutti.protocols.node;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.protocols.added.AddedLayers;
import dev.tutti.protocols.order.Causal;
import dev.tutti.protocols.order.Rotation;
import dev.tutti.protocols.order.Sequencer;
import dev.tutti.protocols.packing.Reassembly;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Settings of a group. All members need the same values, except for time-outs. */
public final class GroupSettings {

    private GroupSettings() {}

    /** Guarantees of a group, which determine its layers. */
    public enum StackKind {
        FIFO,
        CAUSAL,
        TOTAL,
        UNRELIABLE
    }

    /** Way in which a total order is decided. */
    public enum TotalBy {
        SEQUENCER,
        ROTATION
    }

    /** Parts of a group that go on when members lose each other. */
    public enum Partition {
        EACH_SIDE,
        PRIMARY
    }

    /** Time of delivery of a packet whose place in a total order is known. */
    public enum TotalDelivery {
        AGREED,
        SAFE
    }

    /** State that survives when members with different states come together. */
    public enum StateOf {
        NOBODY,
        LARGEST,
        OLDEST,
        PRIMARY,
        EACH
    }

    public static final Setting<StackKind> STACK = Setting.choice(
            "stack",
            StackKind.class,
            StackKind.FIFO,
            "fifo: reliable, in the order of each sender, virtually synchronous; causal: also after all that the sender had "
                    + "delivered; total: also in one order at all members; unreliable: at most once, views only.");

    public static final Setting<TotalBy> TOTAL_BY = Setting.choice(
            "total.by",
            TotalBy.class,
            TotalBy.SEQUENCER,
            "Way to decide a total order. sequencer: the oldest member decides, for few senders and low latency; rotation: all by "
                    + "turns, for many senders and high throughput.");

    public static final Setting<TotalDelivery> TOTAL_DELIVERY = Setting.choice(
            "total.delivery",
            TotalDelivery.class,
            TotalDelivery.AGREED,
            "When a totally ordered message is delivered. agreed: when its place is known; safe: when all members of the "
                    + "view are known to have it, so that all deliver it that do not crash.");

    /** Path of a multicast to the members, where sessions carry it. */
    public enum Dissemination {
        FAN_OUT,
        RING,
        AUTO
    }

    public static final Setting<Dissemination> DISSEMINATION = Setting.choice(
            "dissemination",
            Dissemination.class,
            Dissemination.FAN_OUT,
            "Path of a message to all members over connections. fan-out: its sender sends it to each; ring: from member to "
                    + "member, so that each link carries it once, for large groups and messages whose bound is the network; auto: each "
                    + "sender tries the ring when the network holds it up and its processor has time, and keeps to it if that is "
                    + "faster. With IP multicast it is not used.");

    public static final Setting<Duration> RING_PATIENCE = Setting.duration(
            "ring-patience",
            Duration.ofMillis(250),
            Duration.ofMillis(1),
            Duration.ofMinutes(1),
            "Where messages go from member to member: what a member has and the next one does not get for so long, or twice "
                    + "as long at most, its sender gives to those behind that one itself. Longer than the windows of all "
                    + "members take on one link.");

    public static final Setting<List<String>> LAYERS = Setting.list(
            "layers",
            "Names of layers besides tutti's own, found as services: those of the module tutti-layers, and the user's. Each is placed"
                    + " by what it requires and provides; those that may stand at the same place stand in this order, the first"
                    + " lowest.");

    public static final Setting<StateOf> STATE = Setting.choice(
            "state.of",
            StateOf.class,
            StateOf.NOBODY,
            "State that survives when parts of a group come together; the others get it as newcomers do. nobody: the group has "
                    + "no state to hand over; largest: that of the most members, of the oldest if there are two; oldest: that "
                    + "of the oldest member; primary: that of the latest primary view, with partition: primary; each: members that have one keep it, and the application merges.");

    public static final Setting<Size> STATE_WINDOW = Setting.size(
            "state.transfer-window",
            Size.mebibytes(1),
            Size.kibibytes(128),
            Size.mebibytes(64),
            "Bytes of state that may be under way to one newcomer. Bounds the memory that a transfer takes at either end, and "
                    + "what messages to it may wait behind.");

    public static final Setting<Duration> STATE_TIMEOUT = Setting.duration(
            "state.timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofHours(1),
            "Time a newcomer waits for the next piece of the state before it asks another member, and for which it goes on "
                    + "when no member has what it needs. Also the time for which the application's install may neither return nor read on, and "
                    + "wait for listeners of messages out of band, before the member leaves.");

    public static final Setting<Size> STATE_HELD_MEMORY = Setting.size(
            "state.held-memory",
            Size.mebibytes(8),
            Size.mebibytes(2),
            Size.mebibytes(1024),
            "Messages that wait for the state at a newcomer are kept in so much memory, then in a file.");

    public static final Setting<Size> STATE_HELD_FILE = Setting.size(
            "state.held-file",
            Size.mebibytes(1024),
            Size.mebibytes(0),
            Size.mebibytes(1024 * 1024),
            "Largest file of messages that wait for the state at a newcomer. Beyond, its senders wait.");

    public static final Setting<String> STATE_DIRECTORY = Setting.text(
            "state.directory", "", "Where the file of waiting messages is; empty for the directory for temporary files.");

    public static final Setting<Integer> STATE_SNAPSHOTS = Setting.count(
            "state.snapshots",
            4,
            1,
            100,
            "Snapshots that a member keeps for newcomers; beyond, the oldest is deleted.");

    public static final Setting<Duration> STATE_KEEP = Setting.duration(
            "state.keep",
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Duration.ofHours(48),
            "Time a member keeps a snapshot for newcomers that do not confirm that they have it.");

    public static final Setting<Partition> PARTITION = Setting.choice(
            "partition",
            Partition.class,
            Partition.EACH_SIDE,
            "Parts that go on when members lose each other. each-side: all, with views of their own; primary: the one with a"
                    + " majority of the last primary view, everybody else waits. Needs founders, and records.directory of"
                    + " the node.");

    public static final Setting<List<String>> FOUNDERS = Setting.list(
            "founders",
            "With partition: primary: names of the nodes of which a majority makes the first primary view; a node without"
                    + " a name has its address. Later views depend on them no more.");

    public static final Setting<Size> WINDOW = Setting.size(
            "window",
            Size.mebibytes(1),
            Size.kibibytes(128),
            Size.mebibytes(512),
            "Bytes that one sender may have under way to one receiver before it waits. Bounds the memory of each pair."
                    + " Members that multicast at once share one and a half.");

    public static final Setting<Size> MESSAGE_BYTES_MAX = Setting.size(
            "message-bytes-max",
            Size.bytes(0),
            Size.bytes(0),
            Size.bytes(Reassembly.MESSAGE_BYTES_MAX),
            "Longest message that this member takes, 256 KiB or more; 0 B for a fifth of the heap, 1 MiB to 1 GiB. A send of more than"
                    + " its receivers take fails at once. Messages that are put together at the same time share memory:"
                    + " their senders take turns beyond it.");

    public static final Setting<Duration> ACK_DELAY = Setting.duration(
            "ack-delay",
            Duration.ofMillis(20),
            Duration.ZERO,
            Duration.ofSeconds(1),
            "Time a receiver with nothing else to send waits before it acknowledges. With IP multicast, and in a ring, at most 2 ms.");

    public static final Setting<Duration> STABLE_DELAY = Setting.duration(
            "stable-delay",
            Duration.ofMillis(50),
            Duration.ofMillis(1),
            Duration.ofMinutes(1),
            "Time a sender without new packets waits before it announces what all members have, so that copies are freed.");

    public static final Setting<Duration> BALLOT_TIMEOUT = Setting.duration(
            "ballot-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(100),
            Duration.ofMinutes(5),
            "A view change without progress for so long goes on without those it waits for.");

    public static final Setting<Duration> HOLD_BACK = Setting.duration(
            "hold-back",
            Duration.ofSeconds(4),
            Duration.ofMillis(10),
            Duration.ofMinutes(5),
            "Time a coordinator waits for a member that still follows one that seems to be gone.");

    public static final Setting<Duration> MERGE_DELAY = Setting.duration(
            "merge-delay",
            Duration.ofMillis(200),
            Duration.ZERO,
            Duration.ofSeconds(10),
            "Longest time a coordinator collects other parts before it merges with them.");

    public static final Setting<Duration> SEND_TIMEOUT = Setting.duration(
            "send-timeout",
            Duration.ofMinutes(1),
            Duration.ofMillis(1),
            Duration.ofHours(24),
            "Longest time a send may block.");

    /** Reaction to an exception thrown by a callback of the application. */
    public enum OnException {
        GO_ON,
        LEAVE
    }

    public static final Setting<OnException> ON_EXCEPTION = Setting.choice(
            "on-exception",
            OnException.class,
            OnException.GO_ON,
            "Reaction to an exception of a listener. go-on: the exception is counted and reported, and delivery goes on with"
                    + " the next message; leave: the member leaves the group with the exception as the cause. An error"
                    + " (java.lang.Error) always makes the member leave.");

    /** Reaction to a callback of the application that does not return. */
    public enum OnStuck {
        WAIT,
        LEAVE
    }

    public static final Setting<OnStuck> ON_STUCK = Setting.choice(
            "on-stuck",
            OnStuck.class,
            OnStuck.WAIT,
            "Reaction to a listener that does not return while messages wait behind it, and with them their senders. wait: the"
                    + " senders wait, each for send-timeout; leave: the member leaves the group after stuck-timeout, and the others go"
                    + " on. Listeners of inline groups hold up the node's loop and are not covered.");

    public static final Setting<Duration> STUCK_TIMEOUT = Setting.duration(
            "stuck-timeout",
            Duration.ofMinutes(1),
            Duration.ofSeconds(2),
            Duration.ofHours(24),
            "Time for which a listener does not return before the member leaves the group, with on-stuck: leave. Checked once a"
                    + " second.");

    public static final Setting<Duration> RECEIPT_TIMEOUT = Setting.duration(
            "receipt-timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(1),
            Duration.ofHours(24),
            "Time after which a receipt fails, and again as long until members that were cut off count as unknown for good.");

    public static final Setting<Duration> LEAVE_TIMEOUT = Setting.duration(
            "leave-timeout",
            Duration.ofSeconds(2),
            Duration.ofMillis(1),
            Duration.ofMinutes(10),
            "Time a leaving member waits until the others have its messages.");

    public static final Setting<Duration> JOIN_PATIENCE = Setting.duration(
            "join-patience",
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofMinutes(10),
            "Time that a join allows each seed to answer, and as long again for a view with the members that were found; for"
                    + " groups whose members must not begin alone by accident. Only a session or a refused connection counts as"
                    + " an answer, and a dial under way is waited for. With 0 ms discovery.patience applies, and any dial that"
                    + " failed counts as an answer.");

    public static final Setting<String> MUST_MATCH = Setting.text(
            "must-match",
            "text of one line, at most 100 characters",
            "",
            GroupSettings::checkLine,
            "Text of the application that is the same at all members, as copies=2; members with another text do not meet, and"
                    + " both sides report the difference.");

    public static final List<Setting<?>> ALL = List.of(
            STACK,
            TOTAL_BY,
            TOTAL_DELIVERY,
            DISSEMINATION,
            RING_PATIENCE,
            LAYERS,
            PARTITION,
            FOUNDERS,
            WINDOW,
            MESSAGE_BYTES_MAX,
            ACK_DELAY,
            STABLE_DELAY,
            BALLOT_TIMEOUT,
            HOLD_BACK,
            MERGE_DELAY,
            SEND_TIMEOUT,
            RECEIPT_TIMEOUT,
            LEAVE_TIMEOUT,
            JOIN_PATIENCE,
            MUST_MATCH,
            ON_EXCEPTION,
            ON_STUCK,
            STUCK_TIMEOUT,
            STATE,
            STATE_WINDOW,
            STATE_TIMEOUT,
            STATE_HELD_MEMORY,
            STATE_HELD_FILE,
            STATE_DIRECTORY,
            STATE_SNAPSHOTS,
            STATE_KEEP);

    /** Least value of {@link #MESSAGE_BYTES_MAX}. Shorter messages are copied when they are sent, and never refused. */
    static final long MESSAGE_BYTES_LEAST = 256 * 1024;

    /** Returns the longest message that a member takes. A share of the heap, not known here, counts as the maximum. */
    static long messageBytesMax(Settings settings) {
        long bytes = settings.get(MESSAGE_BYTES_MAX).bytes();
        return bytes == 0 ? Reassembly.MESSAGE_BYTES_MAX : bytes;
    }

    /** Number of characters of all founders' names, separated by commas. */
    private static final int FOUNDERS_MAX = 512;

    /**
     * Checks that the settings of a group, and of the node that joins it, are consistent.
     *
     * @throws SettingException if they are not; the message names the setting and a valid value
     */
    public static void check(String group, Settings settings, Settings node) {
        long messageBytesMax = settings.get(MESSAGE_BYTES_MAX).bytes();
        if (0 < messageBytesMax && messageBytesMax < MESSAGE_BYTES_LEAST) {
            throw new SettingException("group '" + group + "': message-bytes-max is " + settings.text(MESSAGE_BYTES_MAX)
                    + "; it has to be at least " + Size.bytes(MESSAGE_BYTES_LEAST) + ", or 0 B for a share of the heap");
        }
        if (settings.get(PARTITION) == Partition.EACH_SIDE) {
            return;
        }
        List<String> founders = settings.get(FOUNDERS);
        if (founders.isEmpty()) {
            throw new SettingException("group '" + group + "': partition is primary and founders is empty; it has to name the"
                    + " nodes of which a majority makes the first primary view, the same ones at all members");
        }
        if (String.join(",", founders).length() > FOUNDERS_MAX) {
            throw new SettingException("group '" + group + "': founders has more than " + FOUNDERS_MAX
                    + " characters; later nodes need not be named");
        }
        if (node.get(TransportSettings.RECORDS_DIRECTORY).isEmpty()) {
            throw new SettingException("group '" + group + "': partition is primary and records.directory of the node is"
                    + " empty; votes have to outlast the process: set a directory of the node's own, or 'memory' where a"
                    + " restarted node may be a new voter");
        }
    }

    /**
     * Checks that layers of the user's own go together with each other and with a group's settings.
     *
     * @param added in the order in which the group lists them
     * @throws SettingException if one can't be used, or requires what nothing provides; the message says what would
     */
    public static void checkLayers(String group, Settings settings, List<LayerProvider> added) {
        AddedLayers.place(group, settings, GroupStack.guarantees(settings), added);
    }

    private static final Map<String, List<Setting<?>>> OF_LAYERS = Map.of(
            "membership", List.of(BALLOT_TIMEOUT, HOLD_BACK, MERGE_DELAY, PARTITION, FOUNDERS),
            "reliability", List.of(WINDOW, ACK_DELAY, STABLE_DELAY, DISSEMINATION, RING_PATIENCE, LEAVE_TIMEOUT),
            "best-effort", List.of(WINDOW),
            "order", List.of(STACK, TOTAL_BY, TOTAL_DELIVERY),
            "packing", List.of(WINDOW, MESSAGE_BYTES_MAX, LEAVE_TIMEOUT));

    /** Returns the settings of a layer, by the name that it reports under; empty if there is no such layer. */
    public static List<Setting<?>> ofLayer(String layer) {
        return OF_LAYERS.getOrDefault(layer, List.of());
    }

    /** Returns the header bytes that the order adds to each multicast, and that a datagram has to hold as well. */
    public static int orderBytes(Settings settings) {
        return switch (settings.get(STACK)) {
            case FIFO, UNRELIABLE -> 0;
            case CAUSAL -> Causal.HEADER_BYTES;
            case TOTAL -> settings.get(TOTAL_BY) == TotalBy.SEQUENCER ? Sequencer.HEADER_BYTES : Rotation.HEADER_BYTES;
        };
    }

    private static void checkLine(String text) {
        if (text.length() > 100 || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("has " + text.length() + " characters, or several lines; one line of at most 100");
        }
    }
}
