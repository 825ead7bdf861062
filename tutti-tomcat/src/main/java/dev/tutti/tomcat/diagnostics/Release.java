package dev.tutti.tomcat.diagnostics;

/** Release of tutti that a Tomcat runs, for its log. */
public final class Release {

    private Release() {}

    /** Returns the version in the manifest of the bundle; classes that were not packed into it have none. */
    public static String version() {
        String version = Release.class.getPackage().getImplementationVersion();
        return version == null ? "of unknown version" : version;
    }
}
