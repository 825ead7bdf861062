package dev.tutti.cli.node;

import dev.tutti.Node;

/** Closes a node when the process is told to end (control-C, SIGTERM), so that the others hear of it. */
public final class Interruption implements AutoCloseable {

    private final Thread hook;

    private Interruption(Thread hook) {
        this.hook = hook;
    }

    static Interruption closes(Node node) {
        return runs(node::close);
    }

    /** Runs a task when the process is told to end. */
    public static Interruption runs(Runnable end) {
        Thread hook = new Thread(end, "tutti-close");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interruption(hook);
    }

    @Override
    public void close() {
        // The hook itself is running: there is nothing to remove.
        if (!Thread.currentThread().equals(hook)) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process is ending already, and runs the hook.
                return;
            }
        }
    }
}
