package dev.tutti.cli.doctor;

import dev.tutti.cli.terminal.Terminal;
import java.time.Duration;
import java.time.InstantSource;
import picocli.CommandLine;

/** The doctor, on a machine whose clock is an hour behind. */
final class LateDoctor {

    private LateDoctor() {}

    public static void main(String[] arguments) {
        InstantSource late = () -> InstantSource.system().instant().minus(Duration.ofHours(1));
        System.exit(new CommandLine(new DoctorCommand(Terminal.system(), late)).execute(arguments));
    }
}
