/** The drawing board. */
module dev.tutti.draw {
    requires transitive dev.tutti.stomp;
    requires org.slf4j;
    requires static org.jspecify;

    exports dev.tutti.draw;
}
