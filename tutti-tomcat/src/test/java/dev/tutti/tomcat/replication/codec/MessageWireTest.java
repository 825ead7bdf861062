package dev.tutti.tomcat.replication.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionMessage.Access;
import dev.tutti.tomcat.replication.session.SessionMessage.Ack;
import dev.tutti.tomcat.replication.session.SessionMessage.Answer;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.ImageRequest;
import dev.tutti.tomcat.replication.session.SessionMessage.Probe;
import dev.tutti.tomcat.replication.session.SessionMessage.ProbeAnswer;
import dev.tutti.tomcat.replication.session.SessionMessage.Query;
import dev.tutti.tomcat.replication.session.SessionMessage.Remove;
import dev.tutti.tomcat.replication.session.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.session.SessionMessage.StateRequest;
import dev.tutti.tomcat.replication.session.SessionMessage.Write;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageWireTest {

    private static final UUID UID = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final SessionVersion VERSION = new SessionVersion(2, 3, 4);
    private static final Image IMAGE = new Image(
            UID, 1, 2, VERSION, Map.of(Field.attribute("x"), new Slot(VERSION, new byte[] {9}, true)));

    private static final List<SessionMessage> ALL = List.of(
            IMAGE,
            new Delta(UID, VERSION, List.of(new Write(Change.removal(Field.note("n")), SessionVersion.NONE))),
            new Access(UID, VERSION),
            new Remove(UID, "key", VERSION, EndReason.INVALIDATED),
            new Ack(7),
            new Query(8, "key"),
            new Answer(9, null),
            new Answer(9, IMAGE),
            new ImageRequest(UID),
            new StateRequest(1, 2, null),
            new StateRequest(1, 2, UID),
            new StateChunk(1, List.of(IMAGE, IMAGE), true),
            new Probe(7),
            new ProbeAnswer(7, 8),
            new SessionMessage.Shared(List.of(5L, 6L), IMAGE),
            new SessionMessage.Shared(List.of(), new Access(UID, VERSION)),
            new SessionMessage.Moved(List.of(5L), IMAGE),
            new SessionMessage.Held(UID, 7, List.of(5L)),
            new SessionMessage.Also(UID, List.of(5L, 6L)),
            new SessionMessage.Gone(UID, 7),
            new SessionMessage.Spare(UID, 7),
            new SessionMessage.Fetch(1, "key", true),
            new SessionMessage.Given(1, SessionMessage.Knowledge.HERE, List.of(5L), IMAGE),
            new SessionMessage.Given(1, SessionMessage.Knowledge.NOT_HOME, List.of(), null),
            new SessionMessage.Settled(7, 2),
            new SessionMessage.Zone("eu-1a"),
            new SessionMessage.Watch(List.of(new SessionMessage.Watched("key", List.of(5L)), new SessionMessage.Watched("other", List.of()))));

    @Test
    void zoneIsOnlyAsLongAsAnAttributeOfANode() throws Exception {
        MessageReader.decode(MessageWriter.encode(0, new SessionMessage.Zone("z".repeat(256))));
        byte[] tooLong = MessageWriter.encode(0, new SessionMessage.Zone("z".repeat(257)));
        assertThatThrownBy(() -> MessageReader.decode(tooLong))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("a zone of 257 characters, at most 256");
    }

    @Test
    void everyMessageIsReadAsItWasWritten() throws Exception {
        for (SessionMessage message : ALL) {
            byte[] bytes = MessageWriter.encode(5, message);
            MessageReader.Numbered read = MessageReader.decode(bytes);
            assertThat(read.number()).isEqualTo(5);
            assertThat(MessageWriter.encode(5, read.message())).isEqualTo(bytes);
            assertThat(read.message()).hasSameClassAs(message);
        }
    }

    @Test
    void layoutIsAsDocumented() {
        String uid = "0102030405060708090a0b0c0d0e0f10";
        String version = "000000000000000200000000000000030000000000000004";
        assertThat(hex(5, new Access(UID, VERSION))).isEqualTo("03" + "0000000000000005" + "03" + uid + version);
        assertThat(hex(5, new Remove(UID, "key", VERSION, EndReason.INVALIDATED)))
                .isEqualTo("03" + "0000000000000005" + "04" + uid + "00000003" + "6b6579" + version + "01");
        assertThat(hex(0, new Probe(7))).isEqualTo("03" + "0000000000000000" + "0b" + "0000000000000007");
        assertThat(hex(0, new ProbeAnswer(7, 8)))
                .isEqualTo("03" + "0000000000000000" + "0c" + "0000000000000007" + "0000000000000008");
        Change change = new Change(Field.attribute("x"), new byte[] {9}, true);
        assertThat(hex(5, new Delta(UID, VERSION, List.of(new Write(change, VERSION)))))
                .isEqualTo("03" + "0000000000000005" + "02" + uid + version + "00000001" + "00" + "00000001" + "78" + version
                        + "01" + "00000001" + "09");
        assertThat(hex(0, IMAGE))
                .isEqualTo("03" + "0000000000000000" + "01" + uid + "0000000000000001" + "0000000000000002" + version
                        + "00000001" + "00" + "00000001" + "78" + version + "01" + "00000001" + "09");
    }

    @Test
    void messagesAboutHoldersAreAsDocumented() {
        String uid = "0102030405060708090a0b0c0d0e0f10";
        String version = "000000000000000200000000000000030000000000000004";
        String five = "00000001" + "0000000000000005";
        assertThat(hex(5, new SessionMessage.Shared(List.of(5L), new Access(UID, VERSION))))
                .isEqualTo("03" + "0000000000000005" + "0d" + five + "03" + uid + version);
        assertThat(hex(5, new SessionMessage.Held(UID, 7, List.of(5L))))
                .isEqualTo("03" + "0000000000000005" + "0e" + uid + "0000000000000007" + five);
        assertThat(hex(0, new SessionMessage.Also(UID, List.of(5L)))).isEqualTo("03" + "0000000000000000" + "0f" + uid + five);
        assertThat(hex(0, new SessionMessage.Gone(UID, 7)))
                .isEqualTo("03" + "0000000000000000" + "10" + uid + "0000000000000007");
        assertThat(hex(0, new SessionMessage.Spare(UID, 7)))
                .isEqualTo("03" + "0000000000000000" + "11" + uid + "0000000000000007");
        assertThat(hex(0, new SessionMessage.Fetch(7, "key", true)))
                .isEqualTo("03" + "0000000000000000" + "12" + "0000000000000007" + "01" + "00000003" + "6b6579");
        assertThat(hex(0, new SessionMessage.Given(7, SessionMessage.Knowledge.NOT_HOME, List.of(5L), null)))
                .isEqualTo("03" + "0000000000000000" + "13" + "0000000000000007" + "02" + five + "00");
        assertThat(hex(0, new SessionMessage.Settled(7, 2)))
                .isEqualTo("03" + "0000000000000000" + "14" + "0000000000000007" + "00000002");
        assertThat(hex(0, new SessionMessage.Zone("b"))).isEqualTo("03" + "0000000000000000" + "17" + "00000001" + "62");
        assertThat(hex(0, new SessionMessage.Watch(List.of(new SessionMessage.Watched("key", List.of(5L))))))
                .isEqualTo("03" + "0000000000000000" + "15" + "00000001" + "00000003" + "6b6579" + five);
    }

    @Test
    void messageToHoldersWithinAnotherIsRefused() {
        byte[] bytes = MessageWriter.encode(5, new SessionMessage.Shared(List.of(), new SessionMessage.Shared(List.of(), new Ack(1))));
        assertThatThrownBy(() -> MessageReader.decode(bytes)).isInstanceOf(MalformedMessageException.class).hasMessageContaining("in a message");
    }

    private static String hex(long number, SessionMessage message) {
        return HexFormat.of().formatHex(MessageWriter.encode(number, message));
    }

    @Test
    void everyCutOffMessageIsRefused() {
        for (SessionMessage message : ALL) {
            byte[] bytes = MessageWriter.encode(5, message);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> MessageReader.decode(cut)).isInstanceOf(MalformedMessageException.class);
            }
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            assertThatThrownBy(() -> MessageReader.decode(longer)).isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void damagedMessagesAreReadOrRefusedAndNeverMore() {
        Random random = new Random(11);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = MessageWriter.encode(5, ALL.get(round % ALL.size()));
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                assertThat(MessageReader.decode(bytes).message()).isNotNull();
            } catch (MalformedMessageException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(1_000);
    }

    @Test
    void countsThatTheBytesCannotHoldAreRefusedBeforeAnythingIsAllocated() {
        byte[] bytes = MessageWriter.encode(5, new StateChunk(1, List.of(), true));
        ByteBuffer.wrap(bytes).putInt(bytes.length - Integer.BYTES, Integer.MAX_VALUE);
        assertThatThrownBy(() -> MessageReader.decode(bytes)).hasMessageContaining("count 2147483647");
    }
}
