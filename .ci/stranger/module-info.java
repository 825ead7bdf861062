/** Two nodes that greet each other, and a layer, as a module. */
module stranger {
    requires dev.tutti;
    requires dev.tutti.blocks;
    requires java.net.http;
    requires jdk.httpserver;

    exports stranger;

    provides dev.tutti.core.stack.LayerProvider with
            stranger.Checksum;
}
