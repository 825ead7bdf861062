package dev.tutti.blocks.internal.session;

import dev.tutti.Node;
import dev.tutti.blocks.internal.serial.AllowedClasses;
import dev.tutti.blocks.session.Acknowledgement;
import dev.tutti.blocks.session.SaveMode;
import java.time.Duration;
import java.util.Objects;

/**
 * Settings of the sessions of a server, which each container has under the same names.
 *
 * @param node node of the groups
 * @param group first part of the names of groups
 * @param allowedClasses patterns of the application's classes that may be in sessions, separated by commas
 * @param saveMode attributes that a request may have changed
 * @param acknowledgement nodes that a request waits for
 * @param acknowledgementTimeout maximum time of that wait, and of the one for what others have written
 * @param isSynced whether a request waits until its node has all that was written at others before
 */
public record SessionSettings(
        Node node,
        String group,
        String allowedClasses,
        SaveMode saveMode,
        Acknowledgement acknowledgement,
        Duration acknowledgementTimeout,
        boolean isSynced) {

    private static final Duration TIMEOUT_MIN = Duration.ofMillis(1);
    private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

    /** Returns the default of each setting. */
    public static SessionSettings of(Node node) {
        Objects.requireNonNull(node, "node");
        return new SessionSettings(node, "sessions", "", SaveMode.ON_GET, Acknowledgement.ALL, Duration.ofSeconds(10), true);
    }

    public SessionSettings withGroup(String name) {
        Objects.requireNonNull(name, "name");
        return new SessionSettings(node, name, allowedClasses, saveMode, acknowledgement, acknowledgementTimeout, isSynced);
    }

    /** @throws IllegalArgumentException if one is not a pattern, or would allow everything */
    public SessionSettings withAllowedClasses(String patterns) {
        AllowedClasses.of("allowedClasses", patterns);
        return new SessionSettings(node, group, patterns, saveMode, acknowledgement, acknowledgementTimeout, isSynced);
    }

    public SessionSettings withSaveMode(SaveMode mode) {
        Objects.requireNonNull(mode, "mode");
        return new SessionSettings(node, group, allowedClasses, mode, acknowledgement, acknowledgementTimeout, isSynced);
    }

    public SessionSettings withAcknowledgement(Acknowledgement nodes) {
        Objects.requireNonNull(nodes, "nodes");
        return new SessionSettings(node, group, allowedClasses, saveMode, nodes, acknowledgementTimeout, isSynced);
    }

    /** @throws IllegalArgumentException if it is less than 1 ms or more than a day */
    public SessionSettings withAcknowledgementTimeout(Duration timeout) {
        if (timeout.compareTo(TIMEOUT_MIN) < 0 || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException("acknowledgementTimeout: " + timeout + " is not within " + TIMEOUT_MIN + " and " + TIMEOUT_MAX);
        }
        return new SessionSettings(node, group, allowedClasses, saveMode, acknowledgement, timeout, isSynced);
    }

    public SessionSettings withSync(boolean isOn) {
        return new SessionSettings(node, group, allowedClasses, saveMode, acknowledgement, acknowledgementTimeout, isOn);
    }
}
