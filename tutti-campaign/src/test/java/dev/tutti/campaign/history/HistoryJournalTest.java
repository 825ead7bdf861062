package dev.tutti.campaign.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.history.Operation.Outcome;
import dev.tutti.campaign.history.Operation.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryJournalTest {

    private static final List<Request> REQUESTS = List.of(
            new Request.Add(-3),
            new Request.Exchange(7, Long.MIN_VALUE, Long.MAX_VALUE),
            new Request.Grant(),
            new Request.Release(12),
            new Request.Take());

    @TempDir
    private Path directory;

    @Test
    void readsWhatWasWritten() throws IOException {
        Path path = directory.resolve("n0-1.journal");
        try (HistoryJournal journal = new HistoryJournal(path)) {
            for (Request request : REQUESTS) {
                journal.told(journal.ask("x", request), 4, -5);
            }
            journal.ask("y", new Request.Grant());
            journal.never(journal.ask("z", new Request.Take()));
        }
        List<Operation> read = HistoryJournal.read(path);
        assertThat(read).hasSize(6);
        assertThat(read.subList(0, 5)).extracting(Operation::request).isEqualTo(REQUESTS);
        assertThat(read.subList(0, 5)).allSatisfy(operation -> {
            assertThat(operation.client()).isEqualTo("n0-1.journal");
            assertThat(operation.object()).isEqualTo("x");
            assertThat(operation.era()).isEqualTo(4);
            assertThat(operation.result()).isEqualTo(-5);
            assertThat(operation.returnedNanos()).isGreaterThanOrEqualTo(operation.invokedNanos());
        });
        assertThat(read.getLast().object()).isEqualTo("y");
        assertThat(read.getLast().outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void lineThatAKillHasTornIsNone() throws IOException {
        Path path = directory.resolve("n0-1.journal");
        try (HistoryJournal journal = new HistoryJournal(path)) {
            journal.ask("x", new Request.Take());
        }
        Files.writeString(path, "123 told 1 0 99", StandardOpenOption.APPEND);
        assertThat(HistoryJournal.read(path)).hasSize(1).allMatch(operation -> operation.outcome() == Outcome.UNKNOWN);
    }
}
