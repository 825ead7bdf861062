package dev.tutti.campaign.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Priorities of threads. */
public final class Priority {

    private static final Path THREAD = Path.of("/proc/thread-self");
    private static final int NICE = -10;
    private static final long SECONDS_MAX = 5;

    private Priority() {}

    /**
     * Raises the priority of the present thread, if this is Linux and the user may do so, as root may. Threads that stand for the network of
     * processes on the same machine would be late otherwise whenever those processes keep the processors busy, which no network is.
     */
    public static void raise() {
        try {
            String thread = Files.readSymbolicLink(THREAD).getFileName().toString();
            new ProcessBuilder("renice", "-n", String.valueOf(NICE), "-p", thread)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(SECONDS_MAX, TimeUnit.SECONDS);
        } catch (IOException e) {
            // No Linux, or no such program: the thread keeps its priority, as it does if the user may not raise it.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
