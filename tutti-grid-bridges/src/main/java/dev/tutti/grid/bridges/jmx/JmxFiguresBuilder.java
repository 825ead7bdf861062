package dev.tutti.grid.bridges.jmx;

import dev.tutti.grid.Grid;
import dev.tutti.grid.bridges.internal.Sampler;
import dev.tutti.grid.bridges.internal.Topics;
import java.net.MalformedURLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** Options of {@link JmxFigures}. Not for use by several threads. */
public final class JmxFiguresBuilder {

    private static final Duration INTERVAL_DEFAULT = Duration.ofSeconds(10);
    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(10);
    private static final int RULES_MAX = 100;

    private final Grid grid;
    private final String name;
    private final List<Rule> rules = new ArrayList<>();
    private @Nullable JMXServiceURL url;
    private Map<String, Object> environment = Map.of();
    private Duration interval = INTERVAL_DEFAULT;
    private Duration timeout = TIMEOUT_DEFAULT;

    JmxFiguresBuilder(Grid grid, String name) {
        Topics.checkPrefix("jvms/" + Topics.level(name));
        this.grid = grid;
        this.name = name;
    }

    /**
     * Sets the address of another JVM, such as {@code service:jmx:rmi:///jndi/rmi://web1:9010/jmxrmi}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public JmxFiguresBuilder url(String address) {
        try {
            JMXServiceURL read = new JMXServiceURL(address);
            String path = read.getURLPath();
            if (!read.getProtocol().equals("rmi") || path.startsWith("/jndi/") && !path.startsWith("/jndi/rmi://")) {
                throw new MalformedURLException("only RMI is possible, with its registry or without");
            }
            url = read;
            return this;
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(address + " is no address of a JMX agent, such as service:jmx:rmi:///jndi/rmi://web1:9010/jmxrmi: "
                    + e.getMessage(), e);
        }
    }

    /** Sets the name and password that the other JVM asks for. */
    public JmxFiguresBuilder credentials(String user, String password) {
        environment = Map.of(JMXConnector.CREDENTIALS, new String[] {user, password});
        return this;
    }

    /**
     * Adds MBeans.
     *
     * @param pattern name of an MBean, or a pattern of names, such as {@code java.lang:type=MemoryPool,*}
     * @param attributes names of attributes, or {@code ATTRIBUTE.ITEM} for one item of composite data; all numbers if there are none
     * @throws IllegalArgumentException if the pattern is wrong
     */
    public JmxFiguresBuilder beans(String pattern, String... attributes) {
        if (rules.size() == RULES_MAX) {
            throw new IllegalArgumentException("there are at most " + RULES_MAX + " patterns of MBeans");
        }
        try {
            rules.add(new Rule(new ObjectName(pattern), List.of(attributes)));
            return this;
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(pattern + " is no pattern of MBeans, such as java.lang:type=MemoryPool,*: " + e.getMessage(), e);
        }
    }

    /** Sets the time between readings: 10 seconds by default. */
    public JmxFiguresBuilder interval(Duration time) {
        interval = Sampler.check(time);
        return this;
    }

    /** Sets the time after which a JVM that does not answer is given up, up to 10 minutes: 10 seconds by default. */
    public JmxFiguresBuilder timeout(Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException("a timeout is up to " + TIMEOUT_MAX + ", not " + time);
        }
        timeout = time;
        return this;
    }

    /** Registers the producer, and begins to read. The MBeans of {@code java.lang} are read if none were added. */
    public JmxFigures publish() {
        return new JmxFigures(this);
    }

    Grid grid() {
        return grid;
    }

    String name() {
        return name;
    }

    Source source() {
        JMXServiceURL address = url;
        return address == null ? Source.local() : Source.remote(address, environment);
    }

    List<Rule> rules() {
        if (rules.isEmpty()) {
            beans("java.lang:*");
        }
        return List.copyOf(rules);
    }

    Duration interval() {
        return interval;
    }

    Duration timeout() {
        return timeout;
    }
}
