package dev.tutti.grid.bridges.jmx;

import dev.tutti.grid.Body;
import dev.tutti.grid.bridges.internal.Topics;
import java.io.IOException;
import java.rmi.UnmarshalException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeType;
import org.jspecify.annotations.Nullable;

/**
 * Reads numbers of MBeans over a connection that it keeps. RMI has no deadline for an answer: a reading has a thread of its own, which is
 * left behind with its connection when it takes too long. At most {@link #LEFT_MAX} are, and then readings fail until one of them ends.
 */
final class Reader implements AutoCloseable {

    private static final int LEFT_MAX = 4;

    /** @param name rest of the topic */
    record Figure(String name, Map<String, String> tags, Body body) {}

    /** @param omitted number of beans and numbers beyond the limits, and of attributes that could not be read */
    record Reading(Instant time, List<Figure> numbers, long omitted) {}

    private final Source source;
    private final List<Rule> rules;
    private final Duration timeout;
    private final Semaphore running = new Semaphore(LEFT_MAX);
    private volatile Source.@Nullable Link link;
    private volatile boolean isClosed;

    Reader(Source source, List<Rule> rules, Duration timeout) {
        this.source = source;
        this.rules = rules;
        this.timeout = timeout;
    }

    /**
     * Reads all numbers.
     *
     * @throws TimeoutException if the JVM does not answer in time
     */
    Reading read() throws IOException, TimeoutException, InterruptedException {
        if (!running.tryAcquire()) {
            throw new TimeoutException(LEFT_MAX + " readings have not ended yet");
        }
        FutureTask<Reading> task = new FutureTask<>(this::readNow);
        Thread.ofPlatform().daemon().name("tutti-grid-jmx").start(() -> {
            try {
                task.run();
            } finally {
                running.release();
            }
        });
        try {
            return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            drop();
            throw new IOException(String.valueOf(e.getCause()), e.getCause());
        } catch (TimeoutException e) {
            task.cancel(true);
            drop();
            throw new TimeoutException("no answer within " + timeout);
        } catch (InterruptedException e) {
            task.cancel(true);
            drop();
            throw e;
        }
    }

    private Reading readNow() throws IOException {
        Source.Link open = link;
        if (open == null) {
            open = source.connect();
            if (isClosed || Thread.currentThread().isInterrupted()) {
                open.close();
                throw new IOException("nobody waits for the connection any more");
            }
            link = open;
            if (isClosed) {
                drop();
            }
        }
        return new Pass(open.beans()).read();
    }

    /** Closes the connection, on a thread of its own: that takes as long as a dead peer does not answer. */
    private void drop() {
        Source.Link open = link;
        link = null;
        if (open != null) {
            Thread.ofPlatform().daemon().name("tutti-grid-jmx-close").start(() -> closeQuietly(open));
        }
    }

    private static void closeQuietly(Source.Link open) {
        try {
            open.close();
        } catch (IOException _) {
            // It was broken.
        }
    }

    @Override
    public void close() {
        isClosed = true;
        drop();
    }

    /** One reading of all rules. */
    private final class Pass {

        private final MBeanServerConnection beans;
        private final List<Figure> figures = new ArrayList<>();
        private long omitted;

        Pass(MBeanServerConnection beans) {
            this.beans = beans;
        }

        Reading read() throws IOException {
            Instant time = Instant.now();
            for (Rule rule : rules) {
                Set<ObjectName> names = beans.queryNames(rule.pattern(), null);
                omitted += Math.max(0, names.size() - JmxFigures.BEANS_MAX);
                for (ObjectName name : new TreeSet<>(names).stream().limit(JmxFigures.BEANS_MAX).toList()) {
                    read(rule, name);
                }
            }
            return new Reading(time, figures, omitted);
        }

        private void read(Rule rule, ObjectName bean) throws IOException {
            try {
                String[] names = names(rule, bean);
                List<Attribute> values = beans.getAttributes(bean, names).asList();
                // One that throws is left out by the server.
                omitted += names.length - values.size();
                String prefix = prefix(bean);
                Map<String, String> tags = tags(bean);
                for (Attribute each : values) {
                    add(rule, prefix + each.getName(), tags, each);
                }
            } catch (JMException | UnmarshalException | RuntimeException e) {
                // It has gone meanwhile, or classes of its values are not here.
                omitted++;
            }
        }

        private String[] names(Rule rule, ObjectName bean) throws IOException, JMException {
            List<String> names = new ArrayList<>();
            for (MBeanAttributeInfo info : beans.getMBeanInfo(bean).getAttributes()) {
                if (info.isReadable() && rule.isChosen(info.getName()) && mayBeNumeric(info.getType())) {
                    names.add(info.getName());
                }
            }
            return names.toArray(new String[0]);
        }

        private void add(Rule rule, String name, Map<String, String> tags, Attribute attribute) {
            Object value = attribute.getValue();
            if (value instanceof Number number) {
                add(name, tags, number);
            } else if (value instanceof CompositeData data) {
                CompositeType type = data.getCompositeType();
                for (String item : type.keySet()) {
                    if (data.get(item) instanceof Number number && rule.isChosen(attribute.getName(), item)) {
                        add(name + "." + item, tags, number);
                    }
                }
            }
        }

        private void add(String name, Map<String, String> tags, Number number) {
            if (figures.size() >= JmxFigures.NUMBERS_MAX) {
                omitted++;
            } else if (!Double.isNaN(number.doubleValue())) {
                figures.add(new Figure(name, tags, Body.of(number.doubleValue())));
            }
        }
    }

    /** Other attributes are not asked for: their classes may not be here. */
    private static boolean mayBeNumeric(String type) {
        return switch (type) {
            case "int", "long", "short", "byte", "float", "double", "java.lang.Object", "java.lang.Number" -> true;
            case "java.lang.Integer", "java.lang.Long", "java.lang.Short", "java.lang.Byte", "java.lang.Float", "java.lang.Double" -> true;
            case "javax.management.openmbean.CompositeData" -> true;
            default -> type.startsWith("java.math.Big") || type.startsWith("java.util.concurrent.atomic.Atomic");
        };
    }

    /** Returns the domain and the type: what a topic has before the attribute. */
    private static String prefix(ObjectName bean) {
        String type = bean.getKeyProperty("type");
        return bean.getDomain() + "/" + (type == null ? "" : unquoted(type) + "/");
    }

    private static Map<String, String> tags(ObjectName bean) {
        Map<String, String> tags = new TreeMap<>();
        bean.getKeyPropertyList().forEach((key, value) -> {
            if (!key.equals("type")) {
                tags.put(key, unquoted(value));
            }
        });
        return tags;
    }

    private static String unquoted(String value) {
        return value.startsWith("\"") ? ObjectName.unquote(value) : value;
    }
}
