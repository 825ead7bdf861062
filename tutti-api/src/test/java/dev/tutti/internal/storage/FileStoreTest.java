package dev.tutti.internal.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records are there after a restart, complete or as before the write; a damaged one is reported. */
@Timeout(30)
class FileStoreTest {

    @TempDir
    private Path directory;

    private final BlockingQueue<String> answers = new ArrayBlockingQueue<>(64);

    private final DurableStore.Client client = new DurableStore.Client() {
        @Override
        public void onLoaded(long nowNanos, int question, byte @Nullable [] record) {
            answers.add(question + " loaded " + (record == null ? null : new String(record, StandardCharsets.UTF_8)));
        }

        @Override
        public void onStored(long nowNanos, int question) {
            answers.add(question + " stored");
        }

        @Override
        public void onFailed(long nowNanos, int question, String detail) {
            answers.add(question + " failed " + detail);
        }
    };

    private FileStore open(String text) {
        Settings settings = Settings.of(TransportSettings.ALL).with(TransportSettings.RECORDS_DIRECTORY, text);
        return FileStore.open(settings, task -> task.run(0));
    }

    private String answer() throws InterruptedException {
        String answer = answers.poll(20, TimeUnit.SECONDS);
        return answer == null ? "no answer" : answer;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void latestRecordIsThereAfterARestart() throws InterruptedException {
        try (FileStore records = open(directory.toString())) {
            records.load(1, "group", client);
            records.store(2, "group", bytes("one"), client);
            records.store(3, "group", bytes("two"), client);
            records.load(4, "other", client);
            assertThat(answer()).isEqualTo("1 loaded null");
            assertThat(answer()).isEqualTo("2 stored");
            assertThat(answer()).isEqualTo("3 stored");
            assertThat(answer()).isEqualTo("4 loaded null");
        }
        try (FileStore records = open(directory.toString())) {
            records.load(5, "group", client);
            assertThat(answer()).isEqualTo("5 loaded two");
        }
    }

    @Test
    void whatWasBeingWrittenAtTheEndDoesNotCount() throws InterruptedException, IOException {
        try (FileStore records = open(directory.toString())) {
            records.store(1, "group", bytes("whole"), client);
            assertThat(answer()).isEqualTo("1 stored");
        }
        Files.write(directory.resolve(FileStore.fileName("group") + ".new"), new byte[] {1, 2, 3});
        try (FileStore records = open(directory.toString())) {
            records.load(2, "group", client);
            assertThat(answer()).isEqualTo("2 loaded whole");
        }
    }

    @Test
    void everyDamagedByteIsNoticed() throws InterruptedException, IOException {
        try (FileStore records = open(directory.toString())) {
            records.store(1, "g", bytes("content"), client);
            assertThat(answer()).isEqualTo("1 stored");
            Path file = directory.resolve(FileStore.fileName("g"));
            byte[] whole = Files.readAllBytes(file);
            for (int index = 0; index < whole.length; index++) {
                byte[] damaged = whole.clone();
                damaged[index] ^= 0x40;
                Files.write(file, damaged);
                records.load(2, "g", client);
                assertThat(answer()).as("byte " + index).startsWith("2 failed record 'g' can't be read").contains(file.toString());
            }
            for (int length = 0; length < whole.length; length++) {
                Files.write(file, Arrays.copyOf(whole, length));
                records.load(3, "g", client);
                assertThat(answer()).as("cut at " + length).startsWith("3 failed");
            }
        }
    }

    @Test
    void groupsWithNamesOfAnyKindDoNotMeet() throws InterruptedException {
        String longName = "ä/../".repeat(50);
        try (FileStore records = open(directory.toString())) {
            records.store(1, longName, bytes("one"), client);
            records.store(2, longName + "x", bytes("two"), client);
            records.load(3, longName, client);
            assertThat(answer()).isEqualTo("1 stored");
            assertThat(answer()).isEqualTo("2 stored");
            assertThat(answer()).isEqualTo("3 loaded one");
        }
        assertThat(FileStore.fileName(longName)).matches("[a-z0-9_-]+\\.record").hasSizeLessThan(100);
    }

    @Test
    void secondNodeIsRefusedTheSameDirectory() {
        FileStore first = open(directory.toString());
        assertThatThrownBy(() -> open(directory.toString()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("another node")
                .hasMessageContaining(directory.toString());
        first.close();
        open(directory.toString()).close();
    }

    @Test
    void directoryThatIsAFileIsRefused() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> open(file.toString()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("records.directory");
    }

    @Test
    void directoryThatHasGoneFailsTheStore() throws InterruptedException, IOException {
        Path gone = directory.resolve("gone");
        try (FileStore records = open(gone.toString())) {
            Files.delete(gone.resolve("lock"));
            Files.delete(gone);
            records.store(1, "group", bytes("one"), client);
            assertThat(answer()).startsWith("1 failed record 'group' can't be written");
        }
    }

    @Test
    void memoryKeepsForAsLongAsTheNodeLives() throws InterruptedException {
        try (FileStore records = open(TransportSettings.IN_MEMORY)) {
            records.store(1, "group", bytes("one"), client);
            records.load(2, "group", client);
            assertThat(answer()).isEqualTo("1 stored");
            assertThat(answer()).isEqualTo("2 loaded one");
        }
        try (FileStore records = open(TransportSettings.IN_MEMORY)) {
            records.load(3, "group", client);
            assertThat(answer()).isEqualTo("3 loaded null");
        }
    }

    @Test
    void withoutADirectoryNothingIsKeptAndItIsSaid() throws InterruptedException {
        try (FileStore records = open("")) {
            records.store(1, "group", bytes("one"), client);
            assertThat(answer()).startsWith("1 failed").contains("records.directory is empty");
        }
    }

    @Test
    void answerForANodeThatHasEndedIsDropped() {
        Settings settings = Settings.of(TransportSettings.ALL).with(TransportSettings.RECORDS_DIRECTORY, directory.toString());
        FileStore records = FileStore.open(settings, task -> {
            throw new RejectedExecutionException("ended");
        });
        records.store(1, "group", bytes("one"), client);
        records.close();
        records.store(2, "group", bytes("two"), client);
        assertThat(answers).isEmpty();
        assertThat(directory.resolve(FileStore.fileName("group"))).exists();
    }
}
