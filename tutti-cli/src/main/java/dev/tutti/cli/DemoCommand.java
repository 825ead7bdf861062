package dev.tutti.cli;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code tutti demo}: starts the demo, which is a module of its own because of its dependencies. */
@Command(
        name = "demo",
        description = "Three web servers whose sessions survive the crash of any of them.",
        footer = {
            "",
            "Examples:",
            "  tutti demo            prints the address to open; control-C ends it",
            "  tutti demo --smoke    kills a server under load, and checks the carts"
        })
final class DemoCommand implements Callable<Integer> {

    private static final String DEMO = "dev.tutti.demo.Demo";

    @Unmatched
    private List<String> arguments = new ArrayList<>();

    DemoCommand() {}

    @Override
    public Integer call() throws ReflectiveOperationException {
        Class<?> demo;
        try {
            demo = Class.forName(DEMO);
        } catch (ClassNotFoundException e) {
            throw new CommandException("the demo is not part of this installation; in a checkout run ./tutti demo", e);
        }
        try {
            demo.getMethod("main", String[].class).invoke(null, (Object) arguments.toArray(String[]::new));
        } catch (InvocationTargetException e) {
            throw new CommandException("the demo failed: " + e.getCause(), e);
        }
        return ExitCodes.DONE;
    }
}
