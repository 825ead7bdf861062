/** The command line. */
module dev.tutti.cli {
    requires dev.tutti;
    requires dev.tutti.blocks;
    requires dev.tutti.config;
    requires dev.tutti.console;
    requires dev.tutti.draw;
    requires dev.tutti.netty;
    requires dev.tutti.stomp;
    requires info.picocli;
    requires static org.jspecify;

    opens dev.tutti.cli to
            info.picocli;
}
