package dev.tutti.tomcat;

/** Release of tutti that a Tomcat runs, for its log. */
final class Release {

    private Release() {}

    /** Returns the version in the manifest of the bundle; classes that were not packed into it have none. */
    static String version() {
        String version = Release.class.getPackage().getImplementationVersion();
        return version == null ? "of unknown version" : version;
    }
}
