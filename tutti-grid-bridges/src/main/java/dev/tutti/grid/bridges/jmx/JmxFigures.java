package dev.tutti.grid.bridges.jmx;

import dev.tutti.grid.Grid;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.bridges.internal.Outlet;
import dev.tutti.grid.bridges.internal.Sampler;
import dev.tutti.grid.bridges.internal.Topics;
import java.util.concurrent.atomic.LongAdder;

/**
 * A producer of numbers that MBeans have as attributes, of this JVM or of another one.
 *
 * <pre>{@code
 * JmxFigures.of(grid, "shop")
 *         .url("service:jmx:rmi:///jndi/rmi://web1:9010/jmxrmi").credentials("monitor", password)
 *         .beans("java.lang:type=Memory", "HeapMemoryUsage", "NonHeapMemoryUsage")
 *         .beans("java.lang:type=GarbageCollector,*")
 *         .publish();
 * }</pre>
 *
 * <p>The attribute {@code HeapMemoryUsage} of {@code java.lang:type=Memory} has the topics {@code
 * jvms/shop/java/lang/Memory/HeapMemoryUsage/used} and so on: the domain, the property {@code type}, the attribute, and the items of
 * composite data. Other properties of the name are tags, such as {@code name=G1 Old Generation}. What is no number is left out.
 *
 * <p>A JVM that can't be reached is tried again at the next interval, and so is one that does not answer within the timeout. Connect
 * to JVMs alone that are trusted: RMI reads objects that they send.
 */
public final class JmxFigures implements AutoCloseable {

    /** Most MBeans that a reading takes of one pattern. */
    public static final int BEANS_MAX = 1_000;

    /** Most numbers of a reading. */
    public static final int NUMBERS_MAX = 10_000;

    private final Outlet outlet;
    private final Reader reader;
    private final Sampler sampler;
    private final LongAdder omitted = new LongAdder();

    JmxFigures(JmxFiguresBuilder options) {
        String prefix = "jvms/" + Topics.level(options.name());
        this.outlet = new Outlet(options.grid(), ProducerOptions.of(prefix, prefix + "/#").type("jmx").with("jvm", options.name()), prefix);
        this.reader = new Reader(options.source(), options.rules(), options.timeout());
        this.sampler = new Sampler("MBeans of " + options.name(), options.interval(), this::read);
    }

    /**
     * Returns options for a producer of a JVM's numbers: of this one, each 10 seconds, by default.
     *
     * @param name name of the JVM
     */
    public static JmxFiguresBuilder of(Grid grid, String name) {
        return new JmxFiguresBuilder(grid, name);
    }

    private void read() throws Exception {
        Reader.Reading reading = reader.read();
        omitted.add(reading.omitted());
        reading.numbers().forEach(each -> outlet.publish(each.name(), Outlet.atMost(each.tags(), 0), reading.time(), each.body()));
    }

    /** Returns the number of measurements that were published. */
    public long published() {
        return outlet.published();
    }

    /** Returns the number of measurements that were not published: their names make no topic. */
    public long unpublished() {
        return outlet.unpublished();
    }

    /** Returns the number of MBeans and numbers beyond the limits, and of attributes that could not be read. */
    public long omitted() {
        return omitted.sum();
    }

    /** Returns the number of readings that have failed. */
    public long failures() {
        return sampler.failures();
    }

    /** Ends the readings, and withdraws the producer. Idempotent. */
    @Override
    public void close() {
        reader.close();
        sampler.close();
        outlet.close();
    }
}
