package dev.tutti.campaign.rollout;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;

/** The addresses of all pods in a file, in the place of a headless service that also has those of pods that are not ready. */
record PeersFile(Path path) implements DiscoverySource {

    void write(Collection<String> addresses) throws IOException {
        Path next = Files.write(path.resolveSibling(path.getFileName() + ".next"), addresses);
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void start(NodeEntry self) {}

    @Override
    public List<String> addresses() throws IOException {
        return Files.readAllLines(path);
    }

    @Override
    public void close() {}
}
