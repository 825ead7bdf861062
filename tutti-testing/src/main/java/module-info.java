/** Support for this project's own tests and campaigns in real time; nothing that is released depends on it. */
module dev.tutti.testing {
    requires transitive java.net.http;
    requires static transitive org.jspecify;

    exports dev.tutti.testing;
}
