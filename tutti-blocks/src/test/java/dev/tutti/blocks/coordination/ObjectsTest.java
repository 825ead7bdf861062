package dev.tutti.blocks.coordination;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** States of coordination that no member has written. */
class ObjectsTest {

    private static final Member MEMBER = new Member(new NodeId(7, "n1", "n1:7800"), 1);
    private static final long TOKEN = 3L << Objects.EPOCH_SHIFT;

    /** Returns the state of a lock with this number of holders. */
    private static byte[] state(int permits, int holders, int count, long token) {
        ByteOutput out = new ByteOutput().putInt(0).putLong(3).putLong(3).putLong(TOKEN);
        out.putInt(1).putText("lock").putInt(permits).putInt(holders);
        for (int holder = 0; holder < holders; holder++) {
            MemberCodec.MEMBER.put(MEMBER, out);
            out.putLong(1).putInt(count).putLong(token);
        }
        out.putInt(0).putInt(0).putInt(0);
        return out.setInt(0, out.length() - Integer.BYTES).copy();
    }

    private static void install(byte[] state) throws IOException {
        new Objects(claim -> {}).install(new ByteArrayInputStream(state));
    }

    @Test
    void permitsThatNobodyCanHaveAreRefused() {
        assertThatCode(() -> install(state(1, 1, 1, TOKEN))).doesNotThrowAnyException();
        assertThatThrownBy(() -> install(state(1, 2, 1, TOKEN)))
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage("2 of 1 permits are held, and 0 wait");
        assertThatThrownBy(() -> install(state(1, 1, Integer.MIN_VALUE, TOKEN))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> install(state(1, 1, 1, 0))).isInstanceOf(IOException.class);
    }

    @Test
    void stateThatIsShorterThanItSaysIsRefused() {
        byte[] whole = state(1, 1, 1, TOKEN);
        assertThatThrownBy(() -> install(Arrays.copyOf(whole, whole.length - 1))).isInstanceOf(EOFException.class);
    }
}
