package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.ByteBuffer;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class JavaSerializationTest {

    private final ClassLoader classes = getClass().getClassLoader();
    private final JavaSerialization values = new JavaSerialization("");

    record Item(String name, int count) implements Serializable {}

    enum Colour {
        RED,
        GREEN
    }

    private Object copy(SessionCodec codec, Object value) throws IOException, ClassNotFoundException {
        return codec.decode(codec.encode(value), classes);
    }

    @TestFactory
    List<DynamicTest> valuesOfTheJdkAreAllowed() {
        List<Object> samples = new ArrayList<>(List.of(
                "text", 1, 2L, 3.0, 'c', true, new BigDecimal("1.5"), URI.create("http://a/"), UUID.randomUUID(),
                LocalDate.EPOCH, ZonedDateTime.now(), Duration.ofDays(1), DayOfWeek.MONDAY, new Date(5), new Timestamp(6),
                Locale.FRENCH, List.of(1, 2), List.of(), Set.of("a"), Map.of("a", 1), Arrays.asList(1, 2),
                new ArrayList<>(List.of("a")), new HashMap<>(Map.of("a", 1)), new TreeMap<>(Map.of("a", 1)),
                new ConcurrentHashMap<>(Map.of("a", 1)), new CopyOnWriteArrayList<>(List.of(1)),
                Collections.unmodifiableList(List.of(1)), Collections.synchronizedMap(new LinkedHashMap<>(Map.of(1, 2))),
                EnumSet.of(DayOfWeek.MONDAY), new EnumMap<>(Map.of(DayOfWeek.MONDAY, 1)), Collections.emptyList(), new java.util.GregorianCalendar(2026, 1, 2), new java.util.BitSet(3),
                new java.util.Properties()));
        List<DynamicTest> tests = new ArrayList<>();
        for (Object sample : samples) {
            tests.add(DynamicTest.dynamicTest(sample.getClass().getName(), () ->
                    assertThat(copy(values, sample)).isEqualTo(sample)));
        }
        tests.add(DynamicTest.dynamicTest("arrays", () -> {
            assertThat((byte[]) copy(values, new byte[3_000_000])).hasSize(3_000_000);
            assertThat((String[][]) copy(values, new String[][] {{"a"}, {"b"}})).isDeepEqualTo(new String[][] {{"a"}, {"b"}});
            assertThat(((AtomicInteger) copy(values, new AtomicInteger(7))).get()).isEqualTo(7);
        }));
        return tests;
    }

    @Test
    void otherClassIsRefusedWhereItIsMadeAndTheMessageSaysWhatToSet() {
        assertThatThrownBy(() -> values.encode(new ArrayList<>(List.of(new Item("a", 1)))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(Item.class.getName())
                .hasMessageContaining("allowedClasses");
    }

    @Test
    void otherClassIsRefusedWhereItArrives() throws IOException {
        byte[] bytes = new JavaSerialization("dev.tutti.tomcat.*").encode(List.of(new Item("a", 1)));
        assertThatThrownBy(() -> values.decode(bytes, classes)).isInstanceOf(IOException.class);
    }

    @Test
    void classOrPackageIsAllowedByName() throws Exception {
        String name = Item.class.getName();
        for (String pattern : List.of(name, "dev.tutti.tomcat.*", "dev.tutti.**", "com.other.*, " + name)) {
            assertThat(copy(new JavaSerialization(pattern), new Item("a", 1))).as(pattern).isEqualTo(new Item("a", 1));
        }
        for (String pattern : List.of("dev.tutti.*", name + "s", "dev.tutti.tomcats.**")) {
            assertThatThrownBy(() -> copy(new JavaSerialization(pattern), new Item("a", 1))).as(pattern).isNotNull();
        }
        assertThat(copy(new JavaSerialization("dev.tutti.tomcat.*"), Colour.GREEN)).isSameAs(Colour.GREEN);
        assertThat((Item[]) copy(new JavaSerialization(name), new Item[] {new Item("a", 1)})).hasSize(1);
    }

    @Test
    void everythingIsNotAPattern() {
        for (String pattern : List.of("*", "**", "!com.shop.*", "com.*.Cart", "com..Cart", "java.lang.Runtime;x=1")) {
            assertThatThrownBy(() -> new JavaSerialization(pattern))
                    .as(pattern)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("allowedClasses");
        }
    }

    @Test
    void proxyIsRefusedOnBothSides() throws IOException {
        InvocationHandler handler = (InvocationHandler & Serializable) (proxy, method, arguments) -> null;
        Object proxy = Proxy.newProxyInstance(classes, new Class<?>[] {Comparable.class}, handler);
        SessionCodec codec = new JavaSerialization("dev.tutti.**");
        assertThatThrownBy(() -> codec.encode(proxy)).isInstanceOf(IOException.class).hasMessageContaining("proxies");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(proxy);
        }
        assertThatThrownBy(() -> codec.decode(bytes.toByteArray(), classes)).isInstanceOf(IOException.class);
    }

    @Test
    void arrayThatTheBytesCannotFillIsRefused() throws IOException {
        byte[] bytes = values.encode(new long[2]);
        int lengthAt = bytes.length - 2 * Long.BYTES - Integer.BYTES;
        bytes[lengthAt] = 0x20;
        assertThatThrownBy(() -> values.decode(bytes, classes)).isInstanceOf(IOException.class);
    }

    @Test
    void nestingWithoutEndIsRefused() throws IOException {
        Object nested = "end";
        for (int depth = 0; depth < 300; depth++) {
            nested = new ArrayList<>(List.of(nested));
        }
        byte[] bytes = values.encode(nested);
        assertThatThrownBy(() -> values.decode(bytes, classes)).isInstanceOf(IOException.class);
    }

    @Test
    void garbageGivesAnErrorAndNothingElse() throws IOException {
        Random random = new Random(3);
        byte[] good = values.encode(new HashMap<>(Map.of("a", new ArrayList<>(List.of(1, "b", LocalDate.EPOCH)))));
        int refused = 0;
        for (int round = 0; round < 2_000; round++) {
            byte[] bad = good.clone();
            for (int change = 0; change < 3; change++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
                values.decode(bad, classes);
            } catch (IOException | ClassNotFoundException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(500);
    }

    @Test
    void classThatIsNotThereIsNamed() throws IOException {
        byte[] bytes = new JavaSerialization("dev.tutti.**").encode(new Item("a", 1));
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        assertThatThrownBy(() -> new JavaSerialization("dev.tutti.**").decode(bytes, platform))
                .isInstanceOf(ClassNotFoundException.class)
                .hasMessageContaining(Item.class.getName());
    }

    @Test
    void whatIsSharedAFewTimesIsTaken() throws IOException, ClassNotFoundException {
        List<Integer> row = new ArrayList<>(Collections.nCopies(300, 1));
        List<List<Integer>> matrix = new ArrayList<>(List.of(row, row, row));

        assertThat(copy(values, matrix)).isEqualTo(matrix);
    }

    @Test
    void collectionsThatWouldBeHashedForEverAreRefused() throws IOException {
        Object shared = new ArrayList<>();
        for (int depth = 0; depth < 60; depth++) {
            shared = new ArrayList<>(Arrays.asList(shared, shared));
        }
        // As an element of a set, the list would be hashed while it is read.
        byte[] bytes = values.encode(shared);

        assertThatThrownBy(() -> values.decode(bytes, classes)).isInstanceOf(IOException.class).hasMessageContaining("to hash");
    }

    @Test
    void arraysWithinArraysShareOneBound() throws IOException {
        Object nested = new Object[1];
        for (int depth = 0; depth < 20; depth++) {
            nested = new Object[] {nested};
        }
        byte[] bytes = values.encode(nested);
        ByteBuffer longer = ByteBuffer.wrap(bytes);
        for (int at = bytes.length - 10; at > 0; at--) {
            // The array of the class named before has one element: now it claims as many as the input has bytes.
            if (bytes[at] == 0x75 && bytes[at + 1] == 0x71 && longer.getInt(at + 6) == 1) {
                longer.putInt(at + 6, bytes.length);
            }
        }

        assertThatThrownBy(() -> values.decode(bytes, classes)).hasMessageContaining("REJECTED");
    }
}
