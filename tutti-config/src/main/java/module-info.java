/** YAML files. */
module dev.tutti.config {
    requires transitive dev.tutti.core;
    requires org.snakeyaml.engine;
    requires static transitive org.jspecify;

    exports dev.tutti.config;
}
