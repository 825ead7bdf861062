package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.core.View;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Configures a group that spans sites, and joins it.
 *
 * <p>All members of a site use the same settings; sites may differ in all of them.
 */
public final class SiteGroupBuilder {

    private final Sites sites;
    private final GroupBuilder group;
    private final TreeSet<String> expected = new TreeSet<>();
    private Consumer<SiteMessage> onMessage = message -> {};
    private Consumer<View> onView = view -> {};
    private Consumer<Gap> onGap = gap -> {};
    private Consumer<String> onClosed = reason -> {};
    private @Nullable GroupState state;
    private boolean isResynchronized;
    private Stable stable = Stable.ALL;
    private WhenFull whenFull = WhenFull.WAIT;
    private long retainedBytesMax = 64 << 20;
    private long windowBytes = 8 << 20;
    private Duration linger = LINGER_DEFAULT;
    private Duration timeout = Duration.ofSeconds(30);
    private @Nullable Path directory;

    SiteGroupBuilder(Sites sites, String name) {
        this.sites = sites;
        this.group = sites.node().group(name);
    }

    /**
     * Sets the listener for messages, of this site and of others. It is called for one message at a time, in order: of
     * each sender in the order of sending, and in a {@link #total} group, those of one site in the same order everywhere.
     */
    public SiteGroupBuilder onMessage(Consumer<SiteMessage> listener) {
        onMessage = requireNonNull(listener, "listener");
        return this;
    }

    /** Sets the listener for views of this site's members, called in order with messages. */
    public SiteGroupBuilder onView(Consumer<View> listener) {
        onView = requireNonNull(listener, "listener");
        return this;
    }

    /** Sets the listener for messages of other sites that this one does not get, called in order with messages. */
    public SiteGroupBuilder onGap(Consumer<Gap> listener) {
        onGap = requireNonNull(listener, "listener");
        return this;
    }

    /** Sets the listener that is called once when this member has left the group or lost it, with the reason. */
    public SiteGroupBuilder onClosed(Consumer<String> listener) {
        onClosed = requireNonNull(listener, "listener");
        return this;
    }

    /** Gives the group a state, which members of this site hand over; see {@link GroupBuilder#state}. */
    public SiteGroupBuilder state(GroupState state) {
        this.state = requireNonNull(state, "state");
        return this;
    }

    /**
     * Takes over the state of another site when messages of other sites are lost to this one for good, and when the group begins at this
     * site while another one has a state that was begun earlier. The state is {@link #state}'s, which has to be set; all sites
     * have to set this.
     *
     * <p>It does not go with {@link #spill}: messages that are brought back from disk are not told to the application.
     *
     * <p>Each member is told of lost messages with {@link #onGap} first. Later, at one place among the messages, it is called to {@link
     * GroupState#install(java.io.InputStream) install} the other site's state, on the thread of listeners, and is told those messages of
     * its own site again that the state lacks. Messages of other sites go on behind the state. So the effect of each message that was
     * sent everywhere is in the state exactly once; that of messages that were sent {@link Reach#HERE}, or to other sites alone, is not.
     * Members hold the whole state, up to 256 MiB, before they install it.
     */
    public SiteGroupBuilder resynchronize() {
        isResynchronized = true;
        return this;
    }

    /** Delivers the messages of this site in one order at all its members, and at all members of each other site. */
    public SiteGroupBuilder total() {
        group.total();
        return this;
    }

    /** Names sites for which messages are kept from the start, before they were seen for the first time. */
    public SiteGroupBuilder expect(String... others) {
        expected.addAll(List.of(others));
        return this;
    }

    /** Sets the condition under which this site acknowledges messages of others; {@link Stable#ALL} by default. */
    public SiteGroupBuilder acknowledgeWhen(Stable stable) {
        this.stable = requireNonNull(stable, "stable");
        return this;
    }

    /**
     * Bounds the messages that each member keeps for sites that do not have them yet; 64 MiB, and senders that wait, by
     * default.
     *
     * @param bytes of the messages, with some fifty for each
     * @param whenFull consequence of the bound
     */
    public SiteGroupBuilder retain(long bytes, WhenFull whenFull) {
        if (bytes < RETAINED_MIN) {
            throw new IllegalArgumentException("at least " + RETAINED_MIN + " bytes are kept for other sites, not " + bytes);
        }
        this.retainedBytesMax = bytes;
        this.whenFull = requireNonNull(whenFull, "whenFull");
        return this;
    }

    /**
     * Keeps the messages for other sites in files of a directory instead of memory, within the bounds of {@link #retain}. They survive
     * the end of all processes of the site: a member that starts again brings back what its last run has kept. What the operating
     * system has not written yet is lost with the power.
     *
     * @param directory of this member alone; created if it is missing
     */
    public SiteGroupBuilder spill(Path directory) {
        this.directory = requireNonNull(directory, "directory");
        return this;
    }

    /**
     * Bounds the messages that are under way to one site without an acknowledgement; 8 MiB by default. A line is used
     * fully if this is at least its bandwidth times its round trip.
     */
    public SiteGroupBuilder window(long bytes) {
        if (bytes < WINDOW_MIN) {
            throw new IllegalArgumentException("a window between sites has at least " + WINDOW_MIN + " bytes, not " + bytes);
        }
        this.windowBytes = bytes;
        return this;
    }

    /**
     * Sets the time that passes at least between two messages of this site to one other site, unless they fill the window: none to one second,
     * one millisecond by default. Messages of members that come in between go in the next one together. A message after a pause does not wait.
     */
    public SiteGroupBuilder linger(Duration time) {
        if (time.isNegative() || time.compareTo(LINGER_MAX) > 0) {
            throw new IllegalArgumentException("the linger time of a site group is 0 to 1 s, not " + time);
        }
        this.linger = time;
        return this;
    }

    /** Sets the longest time that a send waits; 30 seconds by default. */
    public SiteGroupBuilder timeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a send waits for a time above 0, not " + timeout);
        }
        this.timeout = timeout;
        return this;
    }

    /** Sets a setting of the group at this site, as {@link GroupBuilder#set(String, String)} does. */
    public SiteGroupBuilder set(String setting, String value) {
        group.set(setting, value);
        return this;
    }

    /**
     * Joins. Returns when this member is in the view of its site.
     *
     * @throws IllegalStateException as {@link GroupBuilder#join}, if the site group is joined already, or if it is to resynchronize
     *     without a state or with messages on disk
     */
    public SiteGroup join() {
        if (isResynchronized && state == null) {
            throw new IllegalStateException("site group " + name() + " has no state to resynchronize; see SiteGroupBuilder.state");
        }
        if (isResynchronized && directory != null) {
            throw new IllegalStateException("site group " + name() + " keeps its messages on disk (spill), and what is brought back from"
                    + " there is not told to the application; a group that resynchronizes keeps them in memory");
        }
        return SiteGroup.join(this);
    }

    /** Returns the sites that the group is on. */
    public Sites sites() {
        return sites;
    }

    /** Returns the name of the group. */
    public String name() {
        return group.name();
    }

    GroupBuilder group() {
        return group;
    }

    TreeSet<String> expected() {
        return expected;
    }

    Consumer<SiteMessage> onMessage() {
        return onMessage;
    }

    Consumer<View> onView() {
        return onView;
    }

    Consumer<Gap> onGap() {
        return onGap;
    }

    Consumer<String> onClosed() {
        return onClosed;
    }

    @Nullable GroupState state() {
        return state;
    }

    boolean isResynchronized() {
        return isResynchronized;
    }

    Stable stable() {
        return stable;
    }

    WhenFull whenFull() {
        return whenFull;
    }

    long retainedBytesMax() {
        return retainedBytesMax;
    }

    long windowBytes() {
        return windowBytes;
    }

    Duration linger() {
        return linger;
    }

    Duration timeout() {
        return timeout;
    }

    @Nullable Path directory() {
        return directory;
    }

    private static final Duration LINGER_DEFAULT = Duration.ofMillis(1);
    private static final Duration LINGER_MAX = Duration.ofSeconds(1);
    private static final long RETAINED_MIN = 1 << 16;
    private static final long WINDOW_MIN = 1 << 16;
}
