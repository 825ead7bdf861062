package dev.tutti.bench.options;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.Machines;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for processes on several machines. */
public final class Hosts {

    @Option(
            names = "--hosts",
            paramLabel = "HOST",
            split = ",",
            description = "Starts members on these machines by turns, through ssh without passwords, instead of on this one. Members bind"
                    + " the names, and are neither encrypted nor authenticated.")
    private List<String> names = List.of();

    @Option(
            names = "--ssh",
            paramLabel = "COMMAND",
            defaultValue = "ssh",
            description = "With its options, such as 'ssh -F file'. Default: ${DEFAULT-VALUE}.")
    private String ssh = "ssh";

    @Option(
            names = "--remote-java",
            paramLabel = "PROGRAM",
            defaultValue = "java",
            description = "A JVM of version 25 there. Default: ${DEFAULT-VALUE}.")
    private String java = "java";

    @Option(
            names = "--remote-folder",
            paramLabel = "FOLDER",
            defaultValue = "tutti-bench",
            description = "Folder there that the build is copied to if it differs, below the home directory. Default: ${DEFAULT-VALUE}.")
    private String folder = "tutti-bench";

    boolean areGiven() {
        return !names.isEmpty();
    }

    /** Copies the build where it lacks, and returns the machines; null for this one. */
    @Nullable Machines machines() {
        if (names.isEmpty()) {
            return null;
        }
        Machines machines = new Machines(names, List.of(ssh.strip().split("\\s+")), java, folder);
        machines.copy();
        return machines;
    }

    /** @throws BenchException if machines are given, for a command whose processes have to be on one */
    void requireNone() {
        if (areGiven()) {
            throw new BenchException("this command measures on one machine only; start it there, without --hosts");
        }
    }

    /** Returns the options as they were given. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (areGiven()) {
            arguments.addAll(List.of(
                    "--hosts=" + String.join(",", names), "--ssh=" + ssh, "--remote-java=" + java, "--remote-folder=" + folder));
        }
        return arguments;
    }
}
