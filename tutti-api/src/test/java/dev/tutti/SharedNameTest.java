package dev.tutti;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A name with several addresses is a seed for each of them, over sockets, with names in certificates. */
@Tag("slow")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // It waits for a process.
class SharedNameTest {

    @TempDir
    private Path directory;

    @Test
    void nodesOfOneNameMeet() throws Exception {
        Path hosts = directory.resolve("hosts");
        Files.writeString(hosts, "127.0.0.1 localhost\n127.0.0.2 shop\n127.0.0.3 shop\n127.0.0.4 shop\n");
        Program.run(SharedName.class, "-Djdk.net.hosts.file=" + hosts);
    }
}
