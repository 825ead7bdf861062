package dev.tutti.study.load;

import dev.tutti.study.setup.Operation;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Account of the rows that answers have confirmed, beside those that the database holds. Thread-safe. */
public final class RowAccount {

    /** Tables, by the operation that adds rows to them. */
    public static final Map<Operation, String> TABLES = Collections.unmodifiableMap(new EnumMap<>(
            Map.of(Operation.CREATE_USER, "app_user", Operation.CREATE_PROJECT, "project", Operation.UPLOAD, "upload")));

    private final Map<Operation, Set<String>> created = new EnumMap<>(Operation.class);
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> users = new ConcurrentLinkedQueue<>();

    /** Creates an account without rows. */
    public RowAccount() {
        TABLES.keySet().forEach(operation -> created.put(operation, ConcurrentHashMap.newKeySet()));
    }

    /** Returns a user to delete, and expects it no more; null if there is none. */
    public @Nullable String takeUser() {
        String user = users.poll();
        if (user != null) {
            createdBy(Operation.CREATE_USER).remove(user);
        }
        return user;
    }

    private Set<String> createdBy(Operation operation) {
        Set<String> names = created.get(operation);
        return names == null ? Set.of() : names;
    }

    /** Counts an operation as confirmed. */
    public void onConfirmed(Operation operation, String name) {
        switch (operation) {
            case CREATE_USER -> {
                createdBy(operation).add(name);
                users.add(name);
            }
            case CREATE_PROJECT, UPLOAD -> createdBy(operation).add(name);
            case DELETE_USER -> deleted.add(name);
            case CHANGE, READ -> {
                // They have no rows.
            }
        }
    }

    /**
     * Compares the account of one table with the rows that it has. Each lost operation counts once.
     *
     * @return the number of confirmed operations that the table does not show
     */
    public int lost(Operation operation, Set<String> rows) {
        Set<String> expected = createdBy(operation);
        int before = expected.size();
        expected.retainAll(rows);
        int lost = before - expected.size();
        if (operation == Operation.CREATE_USER) {
            int deletedBefore = deleted.size();
            deleted.removeAll(rows);
            lost += deletedBefore - deleted.size();
        }
        return lost;
    }
}
