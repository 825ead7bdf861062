package dev.tutti.campaign.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs short commands of the operating system. */
public final class Shell {

    private static final int SECONDS_MAX = 20;

    private Shell() {}

    /** What a command has said, both outputs, and its exit code. */
    public record Result(int code, String text) {}

    /**
     * @throws ChaosException if it does not exist or does not end
     */
    public static Result run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new ChaosException("'" + String.join(" ", command) + "' does not end");
            }
            return new Result(process.exitValue(), text.strip());
        } catch (IOException e) {
            throw new ChaosException("can't run '" + String.join(" ", command) + "'", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    /**
     * @throws ChaosException also if it fails
     */
    public static String require(String... command) {
        Result result = run(List.of(command));
        if (result.code() != 0) {
            throw new ChaosException("'" + String.join(" ", command) + "' has failed with " + result.code() + ": "
                    + result.text());
        }
        return result.text();
    }
}
