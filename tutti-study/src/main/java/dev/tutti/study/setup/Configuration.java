package dev.tutti.study.setup;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One way to build the same web application.
 *
 * @param name name in options and reports
 * @param isSticky whether the balancer sends all requests of a session to one node
 * @param paperMillis mean response time at the same position of the paper's list; 0 if the paper has none
 */
public record Configuration(String name, Keeping keeping, boolean isSticky, Access access, int paperMillis) {

    /**
     * The configurations of a study. The six of the paper come first. The source that the study follows names its
     * three choices and the six means in their order, not the combination of each: the combinations here are ours.
     */
    public static final List<Configuration> ALL = List.of(
            new Configuration("replicated-free-mapper", Keeping.TUTTI, false, Access.HIBERNATE, 1_925),
            new Configuration("replicated-sticky-mapper", Keeping.TUTTI, true, Access.HIBERNATE, 93),
            new Configuration("replicated-sticky-jdbc", Keeping.TUTTI, true, Access.JDBC, 79),
            new Configuration("database-sticky-jdbc", Keeping.DATABASE, true, Access.JDBC, 44),
            new Configuration("database-free-jdbc", Keeping.DATABASE, false, Access.JDBC, 55),
            new Configuration("database-free-mapper", Keeping.DATABASE, false, Access.HIBERNATE, 124),
            new Configuration("delta-sticky-jdbc", Keeping.DELTA, true, Access.JDBC, 0),
            new Configuration("backup-sticky-jdbc", Keeping.BACKUP, true, Access.JDBC, 0),
            new Configuration("spring-free-jdbc", Keeping.SPRING, false, Access.JDBC, 0));

    /**
     * Returns a configuration by its name, or by its number in the list, from 1.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Configuration of(String text) {
        for (int index = 0; index < ALL.size(); index++) {
            if (text.equals(ALL.get(index).name) || text.equals(Integer.toString(index + 1))) {
                return ALL.get(index);
            }
        }
        throw new IllegalArgumentException("there is no configuration '" + text + "'; there are 1 to " + ALL.size() + ": "
                + ALL.stream().map(Configuration::name).collect(Collectors.joining(", ")));
    }

    /** Returns the number in the list, from 1; 0 if it is not in it. */
    public int number() {
        return ALL.indexOf(this) + 1;
    }

    /** Returns a configuration of {@code ./tutti study sessions}: sessions without other data. */
    public static Configuration ofSessions(Keeping keeping) {
        return new Configuration("sessions", keeping, true, Access.NONE, 0);
    }
}
