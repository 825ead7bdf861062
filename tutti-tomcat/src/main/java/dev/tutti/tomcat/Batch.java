package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.Change;
import dev.tutti.tomcat.replication.Field;
import dev.tutti.tomcat.replication.Mark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Changes of a session that go out at once, and where they come from. */
final class Batch {

    /** Times that it is decided whether changes may be made, while views come in between. */
    static final int DECISIONS_MAX = 5;

    final List<Change> changes = new ArrayList<>();

    /** The fields that were looked at, other than attributes. */
    final Set<Field> fields = new HashSet<>();

    /** The attributes that were looked at, with what was known when they were changed. */
    final Map<String, @Nullable Mark> attributes = new HashMap<>();

    /** Of the requests that made the changes. */
    final Set<Mark> marks = new HashSet<>();

    /** Whether there are changes of which it is not known yet whether they may be made. */
    boolean isOpen;

    /** Changes that must not be made. */
    int withdrawn;

    void addMark(@Nullable Mark mark) {
        if (mark != null) {
            marks.add(mark);
        }
    }
}
