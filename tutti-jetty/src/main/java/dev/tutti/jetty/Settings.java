package dev.tutti.jetty;

import dev.tutti.Node;
import java.time.Duration;

/** Settings of the sessions of a server. */
record Settings(
        Node node,
        String group,
        String allowedClasses,
        SaveMode saveMode,
        Acknowledgement acknowledgement,
        Duration acknowledgementTimeout,
        boolean isSynced) {

    static Settings of(Node node) {
        return new Settings(node, "sessions", "", SaveMode.ON_GET, Acknowledgement.ALL, Duration.ofSeconds(10), true);
    }

    Settings withGroup(String name) {
        return new Settings(node, name, allowedClasses, saveMode, acknowledgement, acknowledgementTimeout, isSynced);
    }

    Settings withAllowedClasses(String patterns) {
        return new Settings(node, group, patterns, saveMode, acknowledgement, acknowledgementTimeout, isSynced);
    }

    Settings withSaveMode(SaveMode mode) {
        return new Settings(node, group, allowedClasses, mode, acknowledgement, acknowledgementTimeout, isSynced);
    }

    Settings withAcknowledgement(Acknowledgement nodes) {
        return new Settings(node, group, allowedClasses, saveMode, nodes, acknowledgementTimeout, isSynced);
    }

    Settings withAcknowledgementTimeout(Duration timeout) {
        return new Settings(node, group, allowedClasses, saveMode, acknowledgement, timeout, isSynced);
    }

    Settings withSync(boolean isOn) {
        return new Settings(node, group, allowedClasses, saveMode, acknowledgement, acknowledgementTimeout, isOn);
    }
}
