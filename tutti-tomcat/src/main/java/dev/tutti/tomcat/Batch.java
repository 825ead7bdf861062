package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Changes of a session that are sent together, and their origin. */
final class Batch {

    /** Maximum number of decisions in one flush; a later view or an absence makes the previous one void. */
    static final int DECISIONS_MAX = 5;

    final List<Change> changes = new ArrayList<>();

    /** Fields other than attributes whose changes are in the batch. */
    final Set<Field> fields = new HashSet<>();

    /** Attributes that were examined, each with the state of knowledge in which it was changed. */
    final Map<String, @Nullable Mark> attributes = new HashMap<>();

    /** Marks of the requests that made the changes. */
    final Set<Mark> marks = new HashSet<>();

    /** True if changes were left out because it is not known yet whether they may be made. */
    boolean isOpen;

    /** Number of changes that must not be made and were withdrawn. */
    int withdrawn;

    void addMark(@Nullable Mark mark) {
        if (mark != null) {
            marks.add(mark);
        }
    }
}
