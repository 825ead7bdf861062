package dev.tutti.cli;

import picocli.CommandLine.IVersionProvider;

/** Text that {@code --version} prints. */
final class VersionText implements IVersionProvider {

    VersionText() {}

    @Override
    public String[] getVersion() {
        String version = Tutti.class.getPackage().getImplementationVersion();
        return new String[] {
            "tutti " + (version == null ? "(not packaged)" : version),
            "Java " + Runtime.version() + " on " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
        };
    }
}
