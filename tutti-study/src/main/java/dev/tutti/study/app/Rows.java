package dev.tutti.study.app;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.LocalDateTime;
import java.util.List;

/** The tables as the object mapper sees them. */
final class Rows {

    /** All of them. */
    static final List<Class<?>> ALL = List.of(UserRow.class, ProjectRow.class, UploadRow.class, VisitRow.class);

    private Rows() {}

    /** A user. */
    @Entity(name = "UserRow")
    @Table(name = "app_user")
    static class UserRow {
        @Id
        @Column(name = "name")
        String name = "";

        @Column(name = "created")
        LocalDateTime created = LocalDateTime.MIN;
    }

    /** A project. */
    @Entity(name = "ProjectRow")
    @Table(name = "project")
    static class ProjectRow {
        @Id
        @Column(name = "name")
        String name = "";

        @Column(name = "owner")
        String owner = "";

        @Column(name = "created")
        LocalDateTime created = LocalDateTime.MIN;
    }

    /** An uploaded file. */
    @Entity(name = "UploadRow")
    @Table(name = "upload")
    static class UploadRow {
        @Id
        @Column(name = "name")
        String name = "";

        @Column(name = "project")
        String project = "";

        @Column(name = "content")
        byte[] content = {};
    }

    /** A session in the table of the application. */
    @Entity(name = "VisitRow")
    @Table(name = "visit")
    static class VisitRow {
        @Id
        @Column(name = "id")
        String id = "";

        @Column(name = "state")
        byte[] state = {};
    }
}
