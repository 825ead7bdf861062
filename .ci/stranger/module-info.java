/** Two nodes that greet each other, as a module. */
module stranger {
    requires dev.tutti;
    requires dev.tutti.blocks;
}
