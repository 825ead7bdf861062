package dev.tutti.discovery.directory;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Opens the shared directory {@code discovery.directory.path}. */
public final class DirectoryProvider implements DiscoveryProvider {

    public static final Setting<String> PATH = Setting.text(
            "discovery.directory.path",
            "",
            "Directory that all nodes share, on a network file system for example; each node keeps a file there with its address.");

    @Override
    public String kind() {
        return "directory";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(PATH);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        String path = settings.get(PATH);
        return path.isEmpty() ? Optional.empty() : Optional.of(new DirectoryDiscovery(Path.of(path)));
    }
}
