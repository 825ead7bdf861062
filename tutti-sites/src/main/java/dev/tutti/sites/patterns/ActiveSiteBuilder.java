package dev.tutti.sites.patterns;

import static java.util.Objects.requireNonNull;

import dev.tutti.sites.Sites;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Settings of an {@link ActiveSite}. All members of all sites have the same, except for the founders and listeners. */
public final class ActiveSiteBuilder {

    static final Duration LEASE_MIN = Duration.ofSeconds(1);
    static final Duration LEASE_MAX = Duration.ofMinutes(10);

    private final Sites on;
    private final String name;
    private List<String> sites = List.of();
    private List<String> founders = List.of();
    private Duration lease = Duration.ofSeconds(10);
    private boolean isByHand;
    private @Nullable DailySchedule schedule;
    private LongConsumer onActive = term -> {};
    private Runnable onPassive = () -> {};

    ActiveSiteBuilder(Sites on, String name) {
        this.on = on;
        this.name = name;
    }

    /** Names all sites that vote, in the order in which they take over: three at least, if the loss of one is to be survived. */
    public ActiveSiteBuilder sites(String... names) {
        sites = List.of(names);
        return this;
    }

    /** Names the nodes of this site of which a majority makes the first primary view; see {@link dev.tutti.GroupBuilder#primary}. */
    public ActiveSiteBuilder founders(String... nodes) {
        founders = List.of(nodes);
        return this;
    }

    /**
     * Sets the time of a lease, 10 seconds by default: at most that long, and some round trips, no site is active after the active
     * one was lost. A site that was restarted as a whole does not vote for that long.
     */
    public ActiveSiteBuilder lease(Duration time) {
        if (time.compareTo(LEASE_MIN) < 0 || time.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException("a lease lasts " + LEASE_MIN.toSeconds() + " s to " + LEASE_MAX.toMinutes() + " min, not " + time);
        }
        lease = time;
        return this;
    }

    /** Lets no site take over unless {@link ActiveSite#promote} says so. The first of the sites begins. */
    public ActiveSiteBuilder byHand() {
        isByHand = true;
        return this;
    }

    /**
     * Moves the active site with the time of day: the site of a shift takes over when that begins, by its own wall clock, or later in
     * the shift if it is away then. {@link ActiveSite#promote} holds until the next shift begins, once the site of the present one
     * was active in it.
     */
    public ActiveSiteBuilder schedule(DailySchedule shifts) {
        schedule = requireNonNull(shifts, "shifts");
        return this;
    }

    /** Sets the listener for the time from which this member's site is active; it gets the term. */
    public ActiveSiteBuilder onActive(LongConsumer listener) {
        onActive = requireNonNull(listener, "listener");
        return this;
    }

    /** Sets the listener for the time from which this member's site is no longer active. */
    public ActiveSiteBuilder onPassive(Runnable listener) {
        onPassive = requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Joins. Returns when this member is in the view of its site.
     *
     * @throws IllegalArgumentException if there are no sites or founders, or this member's site or one of the schedule is not among them
     */
    public ActiveSite open() {
        if (!sites.contains(on.site()) || new TreeSet<>(sites).size() != sites.size()) {
            throw new IllegalArgumentException("the sites that vote are " + sites + "; each has to be named once, and " + on.site()
                    + " is among them");
        }
        DailySchedule shifts = schedule;
        if (shifts != null && !sites.containsAll(shifts.shifts().stream().map(DailySchedule.Shift::site).toList())) {
            throw new IllegalArgumentException("the schedule " + shifts + " has a site that is none of those that vote, " + sites);
        }
        if (founders.isEmpty()) {
            throw new IllegalArgumentException("active site " + name + " needs founders: the nodes of site " + on.site()
                    + " of which a majority makes the first primary view");
        }
        return new ActiveSite(this);
    }

    Sites on() {
        return on;
    }

    String name() {
        return name;
    }

    List<String> sites() {
        return sites;
    }

    List<String> founders() {
        return founders;
    }

    Duration lease() {
        return lease;
    }

    boolean isByHand() {
        return isByHand;
    }

    @Nullable DailySchedule schedule() {
        return schedule;
    }

    LongConsumer onActive() {
        return onActive;
    }

    Runnable onPassive() {
        return onPassive;
    }
}
