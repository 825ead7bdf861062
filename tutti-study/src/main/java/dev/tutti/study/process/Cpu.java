package dev.tutti.study.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of processes, from /proc; 0 where there is none. */
final class Cpu {

    /** Unit of /proc; the same on all Linux systems of interest. */
    private static final double JIFFIES_PER_SECOND = 100;

    private static final int USER = 11;
    private static final int SYSTEM = 12;
    private static final int ENDED_CHILDREN_USER = 13;
    private static final int ENDED_CHILDREN_SYSTEM = 14;

    private Cpu() {}

    /** Returns the CPU seconds that a process, its descendants, and its children that have ended have used. */
    static double secondsOfTree(ProcessHandle root) {
        double seconds = seconds(root.pid(), true);
        for (ProcessHandle child : root.descendants().toList()) {
            seconds += seconds(child.pid(), false);
        }
        return seconds;
    }

    /** Returns the CPU seconds of this process alone. */
    static double ownSeconds() {
        return seconds(ProcessHandle.current().pid(), false);
    }

    private static double seconds(long pid, boolean isWithEnded) {
        String text;
        try {
            text = Files.readString(Path.of("/proc/" + pid + "/stat"));
        } catch (IOException e) {
            return 0;
        }
        // Behind the name, which is in brackets and may hold anything.
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
        double own = Double.parseDouble(fields[USER]) + Double.parseDouble(fields[SYSTEM]);
        double ended = Double.parseDouble(fields[ENDED_CHILDREN_USER]) + Double.parseDouble(fields[ENDED_CHILDREN_SYSTEM]);
        return (own + (isWithEnded ? ended : 0)) / JIFFIES_PER_SECOND;
    }
}
