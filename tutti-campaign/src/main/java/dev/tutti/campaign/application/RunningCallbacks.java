package dev.tutti.campaign.application;

import dev.tutti.campaign.nodes.Findings;

/**
 * The callbacks of a member that run now. It reports those that run at the same time although they must not.
 */
final class RunningCallbacks {

    private final Findings.Reporter reporter;

    /** The callback that runs, of those that run one at a time; empty if none does. */
    private String running = "";

    /** Number of scoped messages that are being handled. */
    private int scoped;

    private boolean isInstalling;

    RunningCallbacks(Findings.Reporter reporter) {
        this.reporter = reporter;
    }

    /** Begins a callback that runs alone, except that messages in scopes may be handled. */
    void enter(String callback) {
        if (!running.isEmpty()) {
            reporter.report("T9", "is called in " + callback + " during " + running);
        }
        if (isInstalling) {
            reporter.report("S19", "is called in " + callback + " while its state is installed");
        }
        running = callback;
    }

    void leave(String callback) {
        if (running.equals(callback)) {
            running = "";
        }
    }

    void enterScoped() {
        scoped++;
    }

    void leaveScoped() {
        scoped--;
    }

    /** Checks that no scoped message is being handled: the callback has to wait for these. */
    void checkNoScoped(String callback) {
        if (scoped > 0) {
            reporter.report("T9", "is called in " + callback + " while " + scoped + " messages in scopes are handled");
        }
    }

    void beginInstallation() {
        if (!running.isEmpty()) {
            reporter.report("T9", "is to install a state during " + running);
        }
        if (isInstalling) {
            reporter.report("T9", "is to install a state while it installs one");
        }
        isInstalling = true;
    }

    void endInstallation() {
        isInstalling = false;
    }

    /** Checks that no state is being installed, which a message has to wait for. */
    void checkNoInstallation() {
        if (isInstalling) {
            reporter.report("S19", "is told of a message while its state is installed");
        }
    }
}
