package dev.tutti.grid.bridges.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.bridges.Site;
import dev.tutti.testing.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import oshi.hardware.CentralProcessor;
import oshi.hardware.GlobalMemory;
import oshi.hardware.HWDiskStore;
import oshi.hardware.HardwareAbstractionLayer;
import oshi.hardware.NetworkIF;
import oshi.hardware.VirtualMemory;
import oshi.software.os.FileSystem;
import oshi.software.os.OSFileStore;

class HostFiguresTest {

    private static final Duration OFTEN = Duration.ofMillis(100);

    private final Site site = new Site();

    @AfterEach
    void close() {
        site.close();
    }

    private double number(String topic) {
        return ((Body.Number) site.await(topic).body()).value();
    }

    @Test
    void thisHostIsMeasured() {
        try (HostFigures figures = HostFigures.publish(site.grid(), "web1", OFTEN)) {
            assertThat(number("hosts/web1/cpu/load")).isBetween(0.0, 1.0);
            assertThat(number("hosts/web1/cpu/count")).isEqualTo(Runtime.getRuntime().availableProcessors());
            double total = number("hosts/web1/memory/total");
            assertThat(total).isPositive();
            assertThat(number("hosts/web1/memory/available")).isBetween(1.0, total);
            Measurement free = site.await("hosts/web1/filesystems/free");
            assertThat(free.tags()).containsKeys("mount", "type").containsEntry("host", "web1");
            assertThat(((Body.Number) free.body()).unit()).isEqualTo("By");
            Await.until("an interface is measured", () -> site.got().stream().anyMatch(each ->
                    each.topic().path().startsWith("hosts/web1/network/") && each.topic().path().endsWith("/received-rate")));
            assertThat(figures.published()).isPositive();
            assertThat(figures.failures()).isZero();
            Await.until("the load is announced", () -> site.grid().find(Query.PRODUCERS.on("hosts/web1/#")).items().getFirst().load() >= 0);
        }
        site.awaitNoProducer("hosts/#");
    }

    /** Returns an object whose methods, those that are named, return these values. */
    private static <T> T fake(Class<T> type, Map<String, Object> values) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            Object value = values.get(method.getName());
            if (value == null) {
                throw new IllegalStateException(method.getName() + " can't be read");
            }
            return value instanceof AtomicLong number ? Long.valueOf(number.get()) : value;
        }));
    }

    @Test
    void ratesAreIncreasesForEachSecondAndACountThatBeginsAnewHasNone() {
        AtomicLong read = new AtomicLong(1_000);
        AtomicLong nanos = new AtomicLong();
        HWDiskStore disk = fake(HWDiskStore.class, Map.of("getName", "/dev/s*a", "getReadBytes", read, "getWriteBytes", 7L));
        try (HostFigures figures = HostFigures.publish(
                site.grid(), "h", OFTEN, fake(HardwareAbstractionLayer.class, Map.of("getDiskStores", List.of(disk))), broken(), nanos::get)) {
            assertThat(site.await("hosts/h/disks/s_a/read").body()).isEqualTo(Body.of(1_000, "By"));
            assertThat(site.await("hosts/h/disks/s_a/read").tags())
                    .isEqualTo(Map.of("host", "h", "temporality", "cumulative", "monotonic", "true"));
            // The last one of a reading: time must not pass in the middle of the first, whose last count would have no time before it.
            site.await("hosts/h/disks/s_a/written");
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
            // The rate since any of the readings before, two seconds apart or none.
            site.await("hosts/h/disks/s_a/written-rate", each -> each.body().equals(Body.of(0, "By/s")));
            read.set(5);
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
            site.await("hosts/h/disks/s_a/read", each -> each.body().equals(Body.of(5, "By")));
            assertThat(site.got()).filteredOn(each -> each.topic().path().endsWith("/read-rate"))
                    .allMatch(each -> ((Body.Number) each.body()).value() >= 0);
            // The other figures of this host can't be read.
            assertThat(figures.failures()).isPositive();
        }
    }

    private static FileSystem broken() {
        return fake(FileSystem.class, Map.of());
    }

    @Test
    void aHostWithTooManyPartsIsCutOff() {
        List<NetworkIF> many = IntStream.range(0, 1_000)
                .mapToObj(i -> fake(NetworkIF.class, Map.of("getName", "e" + i, "getBytesRecv", 1L, "getBytesSent", 1L, "getInErrors", 0L, "getOutErrors", 0L)))
                .toList();
        GlobalMemory memory = fake(GlobalMemory.class, Map.of(
                "getTotal", 1L, "getAvailable", 1L, "getVirtualMemory", fake(VirtualMemory.class, Map.of("getSwapTotal", 0L, "getSwapUsed", 0L))));
        CentralProcessor processor = fake(CentralProcessor.class, Map.of(
                "getSystemCpuLoadTicks", new long[8], "getSystemCpuLoadBetweenTicks", Double.NaN, "getSystemLoadAverage", new double[] {-1},
                "getLogicalProcessorCount", 2));
        HardwareAbstractionLayer hardware = fake(HardwareAbstractionLayer.class, Map.of(
                "getNetworkIFs", many, "getMemory", memory, "getProcessor", processor, "getDiskStores", List.of()));
        FileSystem files = fake(FileSystem.class, Map.of("getFileStores", List.<OSFileStore>of()));
        try (HostFigures figures = HostFigures.publish(site.grid(), "h", OFTEN, hardware, files, () -> 0)) {
            site.await("hosts/h/network/e" + (HostFigures.PARTS_MAX - 1) + "/errors");
            site.await("hosts/h/cpu/load");
            assertThat(figures.failures()).isZero();
            assertThat(site.got()).noneMatch(each -> each.topic().path().contains("/e" + HostFigures.PARTS_MAX + "/"));
            assertThat(site.got()).noneMatch(each -> each.topic().path().endsWith("run-queue"));
        }
    }

    @Test
    void anIntervalIsChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> HostFigures.publish(site.grid(), "h", Duration.ofMillis(1)));
    }
}
