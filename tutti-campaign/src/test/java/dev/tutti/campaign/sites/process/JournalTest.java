package dev.tutti.campaign.sites.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers of a journal, and settings as arguments. */
class JournalTest {

    @TempDir
    private Path directory;

    @Test
    void numbersAreRead() {
        Path file = directory.resolve("journal");
        Journal journal = new Journal(file);
        journal.accepted(7);
        journal.delivered(0, 3);
        journal.delivered(4_094, 5);
        journal.delivered(4_094, 6);
        assertThat(Journal.read(file)).isEqualTo(new Journal.Told(7, Map.of(0, 3L, 4_094, 6L)));
    }

    @Test
    void journalThatWasNotMadeTellsNothing() {
        assertThat(Journal.read(directory.resolve("none"))).isEqualTo(new Journal.Told(0, Map.of()));
    }

    @Test
    void settingsAreArguments() {
        List<String> arguments = new Settings().put("b", 5).put("a", "x=y").putAll(Map.of("c", "")).arguments();
        assertThat(arguments).containsExactly("a=x=y", "b=5", "c=");
        Settings settings = Settings.of(arguments.toArray(String[]::new));
        assertThat(settings.get("a")).isEqualTo("x=y");
        assertThat(settings.number("b")).isEqualTo(5);
        assertThat(settings.get("d", "absent")).isEqualTo("absent");
    }
}
