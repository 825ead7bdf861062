/**
 * Codecs of values that are JSON or messages of Protocol Buffers. A program has, and its module requires, the libraries of those that it uses;
 * the others need not be there.
 */
module dev.tutti.codecs {
    requires transitive dev.tutti.blocks;
    requires static com.google.protobuf;
    requires static transitive org.jspecify;
    requires static tools.jackson.databind;

    exports dev.tutti.codecs;
}
