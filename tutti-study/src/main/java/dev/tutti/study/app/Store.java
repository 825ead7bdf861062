package dev.tutti.study.app;

import org.jspecify.annotations.Nullable;

/** The application's data. Thread-safe. */
public interface Store extends AutoCloseable {

    /** Begins a transaction. */
    Work begin();

    @Override
    void close();

    /** One transaction, which is rolled back if it is closed without {@link #commit}. For one thread. */
    interface Work extends AutoCloseable {

        void createUser(String name);

        /** @return whether there was such a user */
        boolean deleteUser(String name);

        void createProject(String name, String owner);

        void upload(String name, String project, byte[] content);

        /** Returns the value of a session of the table, which stays locked until the end; null if there is no such session. */
        byte @Nullable [] visit(String id);

        /** Writes the value of a session of the table. */
        void saveVisit(String id, byte[] state, boolean isNew);

        void commit();

        @Override
        void close();
    }
}
