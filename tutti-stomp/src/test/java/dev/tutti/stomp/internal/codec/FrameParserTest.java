package dev.tutti.stomp.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameParserTest {

    private static final FrameLimits LIMITS = new FrameLimits(8, 256, 1_024, 10_000);

    private static List<Frame> parse(@Nullable StompVersion version, String text) throws FrameException {
        return parse(version, text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<Frame> parse(@Nullable StompVersion version, byte[] bytes) throws FrameException {
        FrameParser parser = parser(version);
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        List<Frame> frames = new ArrayList<>();
        for (Frame frame = parser.next(in); frame != null; frame = parser.next(in)) {
            frames.add(frame);
        }
        return frames;
    }

    private static FrameParser parser(@Nullable StompVersion version) {
        FrameParser parser = new FrameParser(LIMITS);
        if (version != null) {
            parser.version(version);
        }
        return parser;
    }

    private static Frame one(@Nullable StompVersion version, String text) throws FrameException {
        List<Frame> frames = parse(version, text);
        assertThat(frames).hasSize(1);
        return frames.getFirst();
    }

    private static StompFault fault(@Nullable StompVersion version, String text) {
        try {
            throw new AssertionError("no fault, but " + parse(version, text));
        } catch (FrameException e) {
            return e.fault();
        }
    }

    // ------------------------------------------------------------------ what is right

    @ParameterizedTest
    @EnumSource(StompVersion.class)
    void readsFramesOfEachVersion(StompVersion version) throws FrameException {
        List<Frame> frames = parse(version, "\n\nSEND\ndestination:/a\n\nhello\0\n\nBEGIN\ntransaction:t\n\n\0");
        assertThat(frames).hasSize(2);
        assertThat(frames.getFirst().command()).isEqualTo("SEND");
        assertThat(frames.getFirst().header("destination")).isEqualTo("/a");
        assertThat(frames.getFirst().body()).asString(StandardCharsets.UTF_8).isEqualTo("hello");
        assertThat(frames.getLast().command()).isEqualTo("BEGIN");
    }

    @Test
    void unescapesAsTheVersionSays() throws FrameException {
        String frame = "SEND\na\\cb:x\\ny\\\\z\n\n\0";
        assertThat(one(StompVersion.V10, frame).header("a\\cb")).isEqualTo("x\\ny\\\\z");
        assertThat(one(StompVersion.V11, frame).header("a:b")).isEqualTo("x\ny\\z");
        assertThat(one(StompVersion.V12, frame).header("a:b")).isEqualTo("x\ny\\z");
        assertThat(one(StompVersion.V12, "SEND\na:\\r\n\n\0").header("a")).isEqualTo("\r");
        assertThat(fault(StompVersion.V11, "SEND\na:\\r\n\n\0")).isEqualTo(StompFault.MALFORMED);
    }

    @ParameterizedTest
    @EnumSource(value = StompVersion.class, names = {"V11", "V12"})
    void refusesEscapesThatAreNotDefined(StompVersion version) {
        for (String escape : List.of("\\t", "\\0", "\\N", "\\ ", "\\")) {
            assertThat(fault(version, "SEND\na:" + escape + "\n\n\0")).as(escape).isEqualTo(StompFault.MALFORMED);
        }
    }

    @Test
    void unescapesNothingInConnect() throws FrameException {
        assertThat(one(null, "CONNECT\npasscode:a\\nb:c\\t\n\n\0").header("passcode")).isEqualTo("a\\nb:c\\t");
        assertThat(one(null, "STOMP\npasscode:a\\cb\n\n\0").header("passcode")).isEqualTo("a:b");
        assertThat(one(null, "STOMP\npasscode:a\\tb\n\n\0").header("passcode")).isEqualTo("a\\tb");
    }

    @Test
    void takesCarriageReturnsAsPartOfTheEndInVersion12Only() throws FrameException {
        String frame = "SEND\r\na:b\r\n\r\n\0";
        assertThat(one(StompVersion.V12, frame).header("a")).isEqualTo("b");
        assertThat(one(null, "CONNECT\r\nhost:a\r\n\r\n\0").header("host")).isEqualTo("a");
        assertThat(fault(StompVersion.V11, frame)).isEqualTo(StompFault.MALFORMED);
        assertThat(one(StompVersion.V11, "SEND\na:b\r\n\n\0").header("a")).isEqualTo("b\r");
    }

    @Test
    void trimsInVersion10Only() throws FrameException {
        assertThat(one(StompVersion.V10, "SEND\n a : b \n\n\0").header("a")).isEqualTo("b");
        assertThat(one(StompVersion.V12, "SEND\n a : b \n\n\0").header(" a ")).isEqualTo(" b ");
    }

    @Test
    void takesTheFirstOfRepeatedHeadersAndColonsInValues() throws FrameException {
        assertThat(one(StompVersion.V12, "SEND\na:1\na:2\nurl:http://x:1/\n\n\0").header("a")).isEqualTo("1");
        assertThat(one(StompVersion.V12, "SEND\na:1\na:2\nurl:http://x:1/\n\n\0").header("url")).isEqualTo("http://x:1/");
        assertThat(one(StompVersion.V12, "SEND\na:\n\n\0").header("a")).isEmpty();
    }

    @Test
    void readsBodiesByTheirLength() throws FrameException {
        Frame frame = one(StompVersion.V12, "SEND\ncontent-length:4\n\n\0a\0\n\0");
        assertThat(frame.body()).containsExactly(0, 'a', 0, '\n');
        assertThat(one(StompVersion.V12, "BEGIN\ncontent-length:0\n\n\0").body()).isEmpty();
        assertThat(one(StompVersion.V12, "SEND\nä:ö€😀\n\nü\0").header("ä")).isEqualTo("ö€😀");
    }

    // ------------------------------------------------------------------ however it is divided

    static Stream<Arguments> streams() {
        return Stream.of(
                Arguments.of(StompVersion.V10, "\nSEND\na: b\n\nx\0\n\nACK\nmessage-id:a\n\n\0"),
                Arguments.of(StompVersion.V11, "SEND\na:\\c\ncontent-length:3\n\n\0\0\0\0\n\nSEND\n\nabc\0"),
                Arguments.of(StompVersion.V12, "\r\nSEND\r\nä:\\r\r\ncontent-length:0\r\n\r\n\0\r\n\r\nSEND\n\nä\0"));
    }

    @ParameterizedTest
    @MethodSource("streams")
    void readsTheSameHoweverTheStreamIsDivided(StompVersion version, String text) throws FrameException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        String whole = describe(parse(version, bytes));
        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                FrameParser parser = parser(version);
                ByteBuf in = Unpooled.buffer();
                List<Frame> frames = new ArrayList<>();
                feed(parser, in, bytes, 0, first, frames);
                feed(parser, in, bytes, first, second, frames);
                feed(parser, in, bytes, second, bytes.length, frames);
                assertThat(describe(frames)).as("divided at %d and %d", first, second).isEqualTo(whole);
                assertThat(parser.isInsideFrame()).isFalse();
            }
        }
    }

    private static void feed(FrameParser parser, ByteBuf in, byte[] bytes, int from, int to, List<Frame> frames)
            throws FrameException {
        in.writeBytes(bytes, from, to - from);
        for (Frame frame = parser.next(in); frame != null; frame = parser.next(in)) {
            frames.add(frame);
        }
        in.discardReadBytes();
    }

    private static String describe(List<Frame> frames) {
        StringBuilder text = new StringBuilder();
        for (Frame frame : frames) {
            text.append(frame.command()).append(frame.headers()).append(new String(frame.body(), StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    // ------------------------------------------------------------------ what is wrong

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send\n\n\0",
                "SEND \n\n\0",
                " SEND\n\n\0",
                "SEND\nnocolon\n\n\0",
                "SEND\n:value\n\n\0",
                "SEND\na:\0\n\n\0",
                "SE\0ND\n\n\0",
                "\0",
                "SEND\ncontent-length:x\n\n\0",
                "SEND\ncontent-length:-1\n\n\0",
                "SEND\ncontent-length:\n\n\0",
                "SEND\ncontent-length:2\n\nabc\0",
                "BEGIN\ntransaction:a\n\nbody\0",
                "BEGIN\ncontent-length:4\n\nbody\0",
                "GET / HTTP/1.1\r\n\r\n",
                "THISISACOMMANDTHATNEVERENDSANDGOESONANDON"
            })
    void refusesWhatIsNoFrame(String text) {
        for (StompVersion version : StompVersion.values()) {
            assertThat(fault(version, text)).isEqualTo(StompFault.MALFORMED);
        }
    }

    @Test
    void refusesHeadersThatAreNoText() {
        byte[] bytes = {'S', 'E', 'N', 'D', '\n', 'a', ':', (byte) 0xC3, (byte) 0x28, '\n', '\n', 0};
        assertThatThrownBy(() -> parse(StompVersion.V12, bytes))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("UTF-8");
    }

    @Test
    void refusesWhatIsBeyondALimitAsSoonAsItShows() throws FrameException {
        assertThat(parse(StompVersion.V12, "SEND\n" + "a:b\n".repeat(8) + "\n\0")).hasSize(1);
        assertThat(fault(StompVersion.V12, "SEND\n" + "a:b\n".repeat(9))).isEqualTo(StompFault.HEAD_TOO_LARGE);
        assertThat(parse(StompVersion.V12, "SEND\na:" + "b".repeat(253) + "\n\n\0")).hasSize(1);
        assertThat(fault(StompVersion.V12, "SEND\na:" + "b".repeat(255))).isEqualTo(StompFault.HEAD_TOO_LARGE);
        String header = "a:" + "b".repeat(200) + "\n";
        assertThat(fault(StompVersion.V12, "SEND\n" + header.repeat(6))).isEqualTo(StompFault.HEAD_TOO_LARGE);
        assertThat(parse(StompVersion.V12, "SEND\n\n" + "b".repeat(10_000) + "\0")).hasSize(1);
        assertThat(fault(StompVersion.V12, "SEND\n\n" + "b".repeat(10_001))).isEqualTo(StompFault.BODY_TOO_LARGE);
        assertThat(fault(StompVersion.V12, "SEND\ncontent-length:10001\n\n")).isEqualTo(StompFault.BODY_TOO_LARGE);
        assertThat(fault(StompVersion.V12, "SEND\ncontent-length:99999999999999999999\n\n")).isEqualTo(StompFault.BODY_TOO_LARGE);
    }

    @Test
    void takesNothingButConnectFromStrangers() {
        for (String first : List.of("SEND\n", "MESSAGE\n", "DISCONNECT\n")) {
            assertThat(fault(null, first)).isEqualTo(StompFault.UNEXPECTED);
        }
    }

    @Test
    void allocatesNothingForABodyThatHasNotCome() throws FrameException {
        FrameLimits wide = new FrameLimits(8, 256, 1_024, 100_000_000);
        byte[] bytes = "SEND\ncontent-length:100000000\n\nx".getBytes(StandardCharsets.UTF_8);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int round = 0; round < 3; round++) {
            FrameParser parser = new FrameParser(wide);
            parser.version(StompVersion.V12);
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(parser.next(in) == null).isTrue();
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated).isLessThan(50_000);
    }

    // ------------------------------------------------------------------ and back

    @ParameterizedTest
    @EnumSource(StompVersion.class)
    void readsWhatTheWriterWrites(StompVersion version) throws FrameException {
        String nasty = version == StompVersion.V10 ? "a\\b" : version == StompVersion.V11 ? "a:b\nc\\d" : "a:b\nc\\d\re";
        byte[] frame = FrameWriter.write(version, "SEND", Headers.of(nasty, nasty, "x", ""), new byte[] {0, 1, 0});
        List<Frame> frames = parse(version, frame);
        assertThat(frames).hasSize(1);
        assertThat(frames.getFirst().header(nasty)).isEqualTo(nasty);
        assertThat(frames.getFirst().body()).containsExactly(0, 1, 0);
    }

    @ParameterizedTest
    @EnumSource(StompVersion.class)
    void writesNoHeaderThatAnotherCouldBeginIn(StompVersion version) throws FrameException {
        byte[] frame = FrameWriter.write(version, "SEND", Headers.of("a\nb:c", "d\nevil:1\r\n\0"), new byte[0]);
        List<Frame> frames = parse(version, frame);
        assertThat(frames).hasSize(1);
        assertThat(frames.getFirst().header("evil") == null).isTrue();
        assertThat(frames.getFirst().headers().count()).isEqualTo(1);
    }
}
