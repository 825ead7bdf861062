/** The look of pages, for the modules that have some. */
@SuppressWarnings("module") // Those that it is exported to are compiled later.
module dev.tutti.look {
    requires static transitive org.jspecify;

    exports dev.tutti.look to
            dev.tutti.bench,
            dev.tutti.console,
            dev.tutti.grid;
}
