package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.process.Program;
import dev.tutti.campaign.host.ChaosException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Releases that the processes of a rolling upgrade run: the previous one at first. Not thread-safe. */
final class Rollout {

    /** Release that a process runs. */
    enum Release {
        PREVIOUS,
        PRESENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String JAR = "tutti-campaign.jar";

    private final Program previous;
    private final Program present;
    private final Release[] releases;

    /**
     * @param jars directory of the previous release's jars
     * @throws ChaosException if they are not there
     */
    Rollout(int processes, Path jars, List<String> options) {
        if (!Files.isRegularFile(jars.resolve(JAR))) {
            throw new ChaosException("there is no " + JAR + " of the previous release in " + jars + "; .ci/previous/build builds it");
        }
        this.previous = new Program(options, jars.resolve(JAR) + File.pathSeparator + jars.resolve("lib") + File.separator + "*");
        this.present = Program.here(options);
        this.releases = new Release[processes];
        Arrays.fill(releases, Release.PREVIOUS);
    }

    Program program(int slot) {
        return releases[slot] == Release.PRESENT ? present : previous;
    }

    Release of(int slot) {
        return releases[slot];
    }

    /** Sets the release that the next process in the slot runs. */
    void set(int slot, Release release) {
        releases[slot] = release;
    }

    /** Returns whether all processes run the release. */
    boolean isAll(Release release) {
        return List.of(releases).stream().allMatch(release::equals);
    }
}
