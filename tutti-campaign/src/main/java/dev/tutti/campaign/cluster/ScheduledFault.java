package dev.tutti.campaign.cluster;

import java.util.Locale;

/** Kinds of actions that a schedule may contain; each schedule draws some of them. */
public enum ScheduledFault {
    WORK("messages to all and to one, short and long"),
    START("a node starts, again too"),
    KILL("a process is killed"),
    POWER_OFF("a machine loses its power"),
    STOP("a process ends in order"),
    LEAVE("a member leaves the group, and may join again"),
    PAUSE("a process stands still, 1 ms to 120 s"),
    SLOW_NODE("a turn takes up to 20 ms"),
    SLOW_APPLICATION("an application takes up to 1,000 times longer, or consumes nothing"),
    WALL_CLOCK("somebody sets the wall clock by up to an hour, back too"),
    LEAP("the clock of a node leaps forwards by up to an hour"),
    DRIFT("nodes whose clock goes up to 10 % wrong"),
    TIMERS("nodes whose timers are early and late"),
    PARTITION("two sides or more lose each other"),
    ONE_WAY("a side does not get through to another"),
    BRIDGE("only one node hears both sides"),
    RING("overlapping majorities"),
    FLAPPING("two sides lose and find each other again and again"),
    COORDINATOR("the coordinator is cut off, killed, or given up"),
    CLOG("nodes are clogged one by one and flow again in another order"),
    DELAY("what goes one way takes up to 2 s longer"),
    GIVE_UP("a node gives up another that is there"),
    BREAK("a connection breaks, at both ends, at one or unnoticed"),
    CORRUPTION("a stream is corrupted: it ends at that frame"),
    AMBUSH("something of all this as a message of a view change arrives"),
    TAIL("runs in which one frame in a hundred takes up to 10 s longer");

    private final String description;

    ScheduledFault(String description) {
        this.description = description;
    }

    public String description() {
        return description;
    }

    /** Returns the name under which coverage counts it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
