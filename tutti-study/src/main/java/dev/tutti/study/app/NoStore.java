package dev.tutti.study.app;

/** No data: for requests that use their session only. */
public final class NoStore implements Store {

    private static final Work NOTHING = new Work() {
        @Override
        public void createUser(String name) {
            throw absent();
        }

        @Override
        public boolean deleteUser(String name) {
            throw absent();
        }

        @Override
        public void createProject(String name, String owner) {
            throw absent();
        }

        @Override
        public void upload(String name, String project, byte[] content) {
            throw absent();
        }

        @Override
        public byte[] visit(String id) {
            throw absent();
        }

        @Override
        public void saveVisit(String id, byte[] state, boolean isNew) {
            throw absent();
        }

        @Override
        public void commit() {}

        @Override
        public void close() {}
    };

    private static IllegalStateException absent() {
        return new IllegalStateException("this application has no database");
    }

    @Override
    public Work begin() {
        return NOTHING;
    }

    @Override
    public void close() {}
}
