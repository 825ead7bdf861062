package dev.tutti.study.app;

import com.zaxxer.hikari.HikariDataSource;
import dev.tutti.study.app.Rows.ProjectRow;
import dev.tutti.study.app.Rows.UploadRow;
import dev.tutti.study.app.Rows.UserRow;
import dev.tutti.study.app.Rows.VisitRow;
import jakarta.persistence.LockModeType;
import java.time.LocalDateTime;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jspecify.annotations.Nullable;

/** Data reached through an object mapper, with its defaults and without a second-level cache. */
public final class HibernateStore implements Store {

    private final HikariDataSource source;
    private final SessionFactory sessions;

    /** @param source connections, which are closed with this store */
    public HibernateStore(HikariDataSource source) {
        this.source = source;
        Configuration configuration = new Configuration();
        Rows.ALL.forEach(configuration::addAnnotatedClass);
        configuration.getProperties().put("hibernate.connection.datasource", source);
        this.sessions = configuration.buildSessionFactory();
    }

    @Override
    public Work begin() {
        Session session = sessions.openSession();
        try {
            session.beginTransaction();
            return new MappedWork(session);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    @Override
    public void close() {
        sessions.close();
        source.close();
    }

    private static final class MappedWork implements Work {

        private final Session session;

        MappedWork(Session session) {
            this.session = session;
        }

        @Override
        public void createUser(String name) {
            UserRow user = new UserRow();
            user.name = name;
            user.created = LocalDateTime.now();
            session.persist(user);
        }

        @Override
        public boolean deleteUser(String name) {
            UserRow user = session.find(UserRow.class, name);
            if (user != null) {
                session.remove(user);
            }
            return user != null;
        }

        @Override
        public void createProject(String name, String owner) {
            ProjectRow project = new ProjectRow();
            project.name = name;
            project.owner = owner;
            project.created = LocalDateTime.now();
            session.persist(project);
        }

        @Override
        public void upload(String name, String project, byte[] content) {
            UploadRow upload = new UploadRow();
            upload.name = name;
            upload.project = project;
            upload.content = content;
            session.persist(upload);
        }

        @Override
        public byte @Nullable [] visit(String id) {
            VisitRow visit = session.find(VisitRow.class, id, LockModeType.PESSIMISTIC_WRITE);
            return visit == null ? null : visit.state;
        }

        @Override
        public void saveVisit(String id, byte[] state, boolean isNew) {
            VisitRow known = isNew ? null : session.find(VisitRow.class, id);
            VisitRow visit = known == null ? new VisitRow() : known;
            visit.state = state;
            if (known == null) {
                visit.id = id;
                session.persist(visit);
            }
        }

        @Override
        public void commit() {
            session.getTransaction().commit();
        }

        @Override
        public void close() {
            try {
                if (session.getTransaction().isActive()) {
                    session.getTransaction().rollback();
                }
            } finally {
                session.close();
            }
        }
    }
}
