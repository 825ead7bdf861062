package dev.tutti.cli.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a person presses while a command shows something again and again: {@code q} or control-D quits. Each key counts at once;
 * where the terminal can't be set so, after Enter. Without a person nothing is read, and nothing quits.
 */
public final class Keys implements AutoCloseable {

    private static final int CONTROL_D = 4;
    private static final long STTY_SECONDS_MAX = 5;

    private final CountDownLatch quit = new CountDownLatch(1);
    private final String settings;
    private final Thread hook = new Thread(this::restore, "tutti-terminal");

    private Keys(String settings) {
        this.settings = settings;
        if (!settings.isEmpty()) {
            Runtime.getRuntime().addShutdownHook(hook);
        }
    }

    /** Reads keys from now on, if a person is at the terminal. */
    public static Keys of(Terminal terminal) {
        if (!terminal.isInteractive()) {
            return new Keys("");
        }
        String settings = stty("-g");
        // Keys come at once, and are not shown.
        Keys keys = new Keys(settings.isEmpty() || !isSet("-icanon", "-echo") ? "" : settings);
        Thread.ofPlatform().daemon().name("tutti-keys").start(() -> keys.read(terminal.in()));
        return keys;
    }

    private void read(InputStream in) {
        try {
            for (int key = in.read(); key >= 0; key = in.read()) {
                if (key == 'q' || key == 'Q' || key == CONTROL_D) {
                    quit.countDown();
                    return;
                }
            }
        } catch (IOException e) {
            // No key comes any more; control-C still ends the command.
            return;
        }
    }

    /** Waits, and returns whether the person has quit. */
    public boolean isQuitWithin(Duration time) throws InterruptedException {
        return quit.await(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sets the terminal as it was. */
    @Override
    public void close() {
        if (settings.isEmpty()) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending already, and the hook does it.
            return;
        }
        restore();
    }

    private void restore() {
        isSet(settings);
    }

    private static boolean isSet(String... arguments) {
        return run(arguments) != null;
    }

    private static String stty(String argument) {
        String output = run(argument);
        return output == null ? "" : output.strip();
    }

    private static @Nullable String run(String... arguments) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return process.waitFor(STTY_SECONDS_MAX, TimeUnit.SECONDS) && process.exitValue() == 0 ? output : null;
        } catch (IOException e) {
            // There is no stty: keys count after Enter.
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
