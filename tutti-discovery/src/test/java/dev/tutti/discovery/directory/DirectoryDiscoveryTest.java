package dev.tutti.discovery.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryDiscoveryTest {

    private static final NodeEntry ANNA = new NodeEntry("shop", "anna", "10.0.0.1:7800");
    private static final NodeEntry BERT = new NodeEntry("shop", "bert", "[fd01::2]:7800");

    @TempDir
    private Path root;

    private DirectoryDiscovery started(NodeEntry self) throws IOException {
        DirectoryDiscovery source = new DirectoryDiscovery(root);
        source.start(self);
        source.announce();
        return source;
    }

    @Test
    void nodesOfOneClusterFindEachOther() throws IOException {
        DirectoryDiscovery anna = started(ANNA);
        DirectoryDiscovery bert = started(BERT);
        started(new NodeEntry("other/../shop", "carl", "10.0.0.3:7800"));
        assertThat(anna.addresses()).containsExactlyInAnyOrder("10.0.0.1:7800", "[fd01::2]:7800");
        bert.close();
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
    }

    @Test
    void theNameOfAClusterCannotLeaveTheDirectory() throws IOException {
        Files.createDirectory(root.resolve("inside"));
        for (String cluster : new String[] {"../outside", "..", ".", "a/b", "*"}) {
            DirectoryDiscovery source = new DirectoryDiscovery(root.resolve("inside"));
            source.start(new NodeEntry(cluster, "n", "h:1"));
            source.announce();
            assertThat(source.addresses()).containsExactly("h:1");
        }
        try (Stream<Path> files = Files.list(root)) {
            assertThat(files).containsExactly(root.resolve("inside"));
        }
    }

    @Test
    void filesThatAreNoEntriesArePassedOver() throws IOException {
        DirectoryDiscovery anna = started(ANNA);
        Path directory = root.resolve("shop");
        Files.writeString(directory.resolve("empty.node"), "");
        Files.writeString(directory.resolve("10.0.0.7%3A7800.node"), "10.0.0.7:7");
        Files.writeString(directory.resolve("10.0.0.8%3A7800.node"), "10.0.0.9:7800\nother\n");
        Files.write(directory.resolve("bytes.node"), new byte[] {(byte) 0xFF, 0, 10});
        Files.writeString(directory.resolve("long.node"), "x".repeat(100_000));
        Files.writeString(directory.resolve("10.0.0.6%3A7800.node.new"), "10.0.0.6:7800\nhalf\n");
        Files.createDirectory(directory.resolve("directory.node"));
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
    }

    @Test
    void anEntryThatSomebodyRemovesIsMadeAgainEvenWithItsDirectory() throws IOException {
        DirectoryDiscovery anna = started(ANNA);
        DirectoryDiscovery bert = started(BERT);
        bert.remove("10.0.0.1:7800");
        assertThat(anna.addresses()).doesNotContain("10.0.0.1:7800");
        bert.close();
        Files.delete(root.resolve("shop"));
        assertThat(anna.addresses()).isEmpty();
        anna.announce();
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
    }

    @Test
    void aDirectoryThatIsNotMountedIsNotMade() {
        DirectoryDiscovery source = new DirectoryDiscovery(root.resolve("mount"));
        assertThatThrownBy(() -> source.start(ANNA))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not there, or no directory; make it, or mount it");
        assertThat(root.resolve("mount")).doesNotExist();
    }

    @Test
    void aDirectoryThatDisappearsIsAnOutage() throws IOException {
        Path mount = Files.createDirectory(root.resolve("mount"));
        DirectoryDiscovery source = new DirectoryDiscovery(mount);
        source.start(ANNA);
        Files.delete(mount.resolve("shop"));
        Files.delete(mount);
        assertThatThrownBy(source::addresses).isInstanceOf(IOException.class).hasMessageContaining("is not there any more");
    }
}
