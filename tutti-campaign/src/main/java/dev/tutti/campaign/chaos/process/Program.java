package dev.tutti.campaign.chaos.process;

import dev.tutti.campaign.host.Shell;
import java.util.List;

/**
 * Java program of a process: the main class of a {@link Workload}, as it is on some class path.
 *
 * @param options further options for the JVM
 * @param classPath class path, with elements that are separated as {@code java -cp} wants it
 */
public record Program(List<String> options, String classPath) {

    /** Returns the program on the class path of this JVM. */
    public static Program here(List<String> options) {
        return new Program(options, Shell.classPath());
    }
}
