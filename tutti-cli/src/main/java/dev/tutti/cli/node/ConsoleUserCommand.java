package dev.tutti.cli.node;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.console.Role;
import dev.tutti.console.UserFile;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tutti console user}: keeps the file of the console's users. */
@Command(
        name = "user",
        description = "Keeps the file with the console's users, their roles and the hashes of their passwords.",
        synopsisSubcommandLabel = "(add | remove | list)",
        footer = {
            "",
            "The console reads the file that console.users-file names, and reads it again when it changes. The password is asked for, "
                    + "or read from the first line of the input: arguments can be seen by others.",
            "",
            "Examples:",
            "  tutti console user add ann --role operator --file users",
            "  tutti console user list --file users",
            "  tutti console user remove ann --file users",
            "  tutti console -D console.users-file=users"
        })
public final class ConsoleUserCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    public ConsoleUserCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.out());
        return ExitCodes.DONE;
    }

    @Command(description = "Adds a user, or gives one a new role and password.")
    int add(
            @Parameters(paramLabel = "NAME", description = "Letters, digits, dots, hyphens, underscores and at signs.") String name,
            @Option(names = "--role", paramLabel = "ROLE", defaultValue = "reader", description = "reader, or operator. Default: reader.")
                    Role role,
            @Option(names = "--file", paramLabel = "FILE", required = true, description = "File of users; made if it is not there.")
                    Path file)
            throws IOException {
        UserFile users = Files.exists(file) ? UserFile.read(file) : UserFile.empty();
        boolean isThere = users.role(name) != null;
        try {
            users.with(name, role, password()).write(file);
        } catch (IllegalArgumentException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        terminal.print(name + (isThere ? " is changed in " : " is added to ") + file + ", as " + role.text());
        return ExitCodes.DONE;
    }

    @Command(description = "Removes a user; open pages of that user end within seconds.")
    int remove(
            @Parameters(paramLabel = "NAME", description = "The user.") String name,
            @Option(names = "--file", paramLabel = "FILE", required = true, description = "File of users.") Path file)
            throws IOException {
        UserFile users = UserFile.read(file);
        if (users.role(name) == null) {
            throw new CommandException("there is no user " + name + " in " + file);
        }
        users.without(name).write(file);
        terminal.print(name + " is removed from " + file);
        return ExitCodes.DONE;
    }

    @Command(description = "Lists the users with their roles.")
    int list(@Option(names = "--file", paramLabel = "FILE", required = true, description = "File of users.") Path file)
            throws IOException {
        UserFile.read(file).roles().forEach((name, role) -> terminal.print(name + "  " + role.text()));
        return ExitCodes.DONE;
    }

    private String password() throws IOException {
        Console console = System.console();
        if (console != null && console.isTerminal()) {
            char[] first = console.readPassword("Password, at least %d characters: ", UserFile.PASSWORD_LENGTH_MIN);
            char[] second = console.readPassword("The same again: ");
            if (first == null || second == null || !Arrays.equals(first, second)) {
                throw new CommandException("the two passwords differ; nothing was changed");
            }
            return new String(first);
        }
        String line = new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new CommandException("the password is read from the first line of the input, which is empty");
        }
        return line;
    }
}
