package dev.tutti.demo;

import java.util.List;
import org.apache.catalina.Manager;
import org.apache.catalina.session.StandardManager;

/** Who keeps the sessions of a shop node. */
interface SessionKeeping extends AutoCloseable {

    Manager manager();

    /** Number of the view that the sessions are kept in; 0 if there is none. */
    long view();

    /** The names of the members by rank. */
    List<String> members();

    @Override
    void close();

    static SessionKeeping open(String node, int port, List<String> seeds) {
        StandardManager manager = new StandardManager();
        return new SessionKeeping() {
            @Override
            public Manager manager() {
                return manager;
            }

            @Override
            public long view() {
                return 1;
            }

            @Override
            public List<String> members() {
                return List.of(node);
            }

            @Override
            public void close() {}
        };
    }
}
