package dev.tutti.grid.bridges.jmx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.bridges.Site;
import dev.tutti.testing.Await;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JmxFiguresTest {

    private static final Duration OFTEN = Duration.ofMillis(100);

    /** Attributes of an MBean of the tests. */
    public interface Pool {
        int getSize();

        double getUnknown();

        String getName();

        Object getAnything();

        long getBroken();
    }

    private record Orders(int getSize, String getName) implements Pool {

        @Override
        public double getUnknown() {
            return Double.NaN;
        }

        @Override
        public Object getAnything() {
            return 5;
        }

        @Override
        public long getBroken() {
            throw new IllegalStateException("broken");
        }
    }

    private final Site site = new Site();

    @AfterEach
    void close() {
        site.close();
    }

    private static void register(MBeanServer server, String name, int size) throws Exception {
        server.registerMBean(new StandardMBean(new Orders(size, "orders"), Pool.class), new ObjectName(name));
    }

    @Test
    void thisJvmIsRead() {
        try (JmxFigures figures = JmxFigures.of(site.grid(), "shop").interval(OFTEN).publish()) {
            assertThat(((Body.Number) site.await("jvms/shop/java/lang/Memory/HeapMemoryUsage/used").body()).value()).isPositive();
            assertThat(((Body.Number) site.await("jvms/shop/java/lang/Threading/ThreadCount").body()).value()).isPositive();
            Measurement pool = site.await("jvms/shop/java/lang/MemoryPool/Usage/used");
            assertThat(pool.tags()).containsOnlyKeys("name");
            assertThat(figures.failures()).isZero();
        }
        site.awaitNoProducer("jvms/#");
    }

    @Test
    void aRemoteJvmIsReadAndOnlyItsNumbers() throws Exception {
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        register(server, "shop.pools:type=Pool,name=" + ObjectName.quote("a*b"), 3);
        register(server, "shop.pools:kind=x", 4);
        JMXConnectorServer connector = JMXConnectorServerFactory.newJMXConnectorServer(new JMXServiceURL("service:jmx:rmi://127.0.0.1"), null, server);
        connector.start();
        try (JmxFigures figures = JmxFigures.of(site.grid(), "shop")
                .url(connector.getAddress().toString())
                .beans("shop.*:*")
                .interval(OFTEN)
                .publish()) {
            Measurement size = site.await("jvms/shop/shop/pools/Pool/Size");
            assertThat(size.body()).isEqualTo(Body.of(3));
            assertThat(size.tags()).isEqualTo(Map.of("name", "a*b"));
            assertThat(site.await("jvms/shop/shop/pools/Size").tags()).isEqualTo(Map.of("kind", "x"));
            assertThat(site.await("jvms/shop/shop/pools/Anything").body()).isEqualTo(Body.of(5));
            // Two attributes throw.
            assertThat(figures.omitted()).isGreaterThanOrEqualTo(2);
            assertThat(site.got()).noneMatch(each -> each.topic().path().endsWith("Name") || each.topic().path().endsWith("Unknown"));
        } finally {
            connector.stop();
        }
    }

    @Test
    void chosenAttributesAndItemsAloneAreRead() {
        try (JmxFigures figures = JmxFigures.of(site.grid(), "shop")
                .beans("java.lang:type=Memory", "HeapMemoryUsage.used")
                .beans("java.lang:type=ClassLoading", "LoadedClassCount")
                .interval(OFTEN)
                .publish()) {
            site.await("jvms/shop/java/lang/ClassLoading/LoadedClassCount");
            assertThat(site.got()).extracting(each -> each.topic().path())
                    .containsOnly("jvms/shop/java/lang/Memory/HeapMemoryUsage/used", "jvms/shop/java/lang/ClassLoading/LoadedClassCount");
            assertThat(figures.unpublished()).isZero();
        }
    }

    @Test
    void aJvmThatDoesNotAnswerIsTriedAgain() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                JmxFigures figures = JmxFigures.of(site.grid(), "shop")
                        .url("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + silent.getLocalPort() + "/jmxrmi")
                        .interval(OFTEN)
                        .timeout(OFTEN)
                        .publish()) {
            Await.until("it has failed often", () -> figures.failures() >= 6);
            assertThat(figures.published()).isZero();
        }
    }

    @Test
    void readingsThatNeverEndAreFew() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger connecting = new AtomicInteger();
        Reader reader = new Reader(
                () -> {
                    connecting.incrementAndGet();
                    boolean isOver = false;
                    while (!isOver) {
                        try {
                            end.await();
                            isOver = true;
                        } catch (InterruptedException _) {
                            // As a socket does not hear it either.
                        }
                    }
                    return Source.local().connect();
                },
                List.of(new Rule(new ObjectName("java.lang:type=Threading"), List.of("ThreadCount"))),
                Duration.ofMillis(1));
        Await.until("four are left behind", () -> {
            Assertions.assertThatExceptionOfType(TimeoutException.class).isThrownBy(reader::read);
            return connecting.get() == 4;
        });
        Assertions.assertThatExceptionOfType(TimeoutException.class).isThrownBy(reader::read).withMessageContaining("4 readings");
        assertThat(connecting.get()).isEqualTo(4);
        end.countDown();
        reader.close();
    }

    @Test
    void aConnectionThatBreaksIsMadeAgain() throws Exception {
        AtomicInteger connected = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        Source source = () -> new Source.Link() {
            private final int number = connected.incrementAndGet();

            @Override
            public javax.management.MBeanServerConnection beans() {
                if (number == 1) {
                    throw new IllegalStateException("broken");
                }
                return ManagementFactory.getPlatformMBeanServer();
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        Reader reader = new Reader(source, List.of(new Rule(new ObjectName("java.lang:type=Threading"), List.of("ThreadCount"))), Duration.ofMinutes(1));
        Assertions.assertThatExceptionOfType(java.io.IOException.class).isThrownBy(reader::read);
        Await.until("the broken one is closed", () -> closed.get() == 1);
        assertThat(reader.read().numbers()).hasSize(1);
        assertThat(reader.read().numbers()).hasSize(1);
        assertThat(connected.get()).isEqualTo(2);
        reader.close();
        Await.until("the other one is closed", () -> closed.get() == 2);
    }

    @Test
    void readingsAreBounded() throws Exception {
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        for (int i = 0; i < JmxFigures.BEANS_MAX + 5; i++) {
            register(server, "x:type=Pool,name=p" + i, i);
        }
        Source source = () -> new Source.Link() {
            @Override
            public javax.management.MBeanServerConnection beans() {
                return server;
            }

            @Override
            public void close() {}
        };
        Reader.Reading reading = new Reader(source, List.of(new Rule(new ObjectName("*:*"), List.of("Size"))), Duration.ofMinutes(1)).read();
        assertThat(reading.numbers()).hasSizeLessThanOrEqualTo(JmxFigures.BEANS_MAX).hasSizeGreaterThan(JmxFigures.BEANS_MAX - 5);
        assertThat(reading.omitted()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void optionsAreChecked() {
        JmxFiguresBuilder options = JmxFigures.of(site.grid(), "shop");
        assertThatIllegalArgumentException().isThrownBy(() -> options.url("web1:9010")).withMessageContaining("service:jmx:rmi");
        assertThatIllegalArgumentException().isThrownBy(() -> options.url("service:jmx:rmi:///jndi/ldap://x/y")).withMessageContaining("only RMI");
        assertThatIllegalArgumentException().isThrownBy(() -> options.beans("no pattern"));
        assertThatIllegalArgumentException().isThrownBy(() -> options.timeout(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> options.interval(Duration.ZERO));
    }
}
