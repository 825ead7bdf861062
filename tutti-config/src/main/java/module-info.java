/** YAML files. */
module dev.tutti.config {
    requires transitive dev.tutti.core;
    requires org.snakeyaml.engine.v2;
    requires static transitive org.jspecify;

}
