package dev.tutti.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Message;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.internal.BareHost;
import dev.tutti.protocols.packing.Assemblies;
import dev.tutti.protocols.packing.SpareArrays;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages that can't be assembled are never lost silently. */
class AssemblyTest {

    private static final int LIMIT = 1 << 20;
    private static final Member SELF = new Member(new NodeId(1, "n1", "host1:1"), 1);
    private static final Member OTHER = new Member(new NodeId(2, "n2", "host2:1"), 1);
    private static final Receipt TO_ALL = () -> false;

    private static final class Here extends BareHost {

        private final Driver driver = (Driver) Proxy.newProxyInstance(
                AssemblyTest.class.getClassLoader(), new Class<?>[] {StreamDriver.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException(method.getName());
                });

        @Override
        public Driver driver() {
            return driver;
        }
    }

    /** Leaves the group when delivery is broken. */
    private final class Owner implements DeliveryExecutor.Owner {

        @Override
        public Member self() {
            return SELF;
        }

        @Override
        public void onConsumed() {
            Packet packet = executor.takeConsumed();
            while (packet != null) {
                consumed++;
                packet = executor.takeConsumed();
            }
        }

        @Override
        public void onInstalled(View view) {}

        @Override
        public void onSuspended(String reason) {}

        @Override
        public void onSlow(Member sender, long nanos) {}

        @Override
        public void onJoined() {}

        @Override
        public String onLeft(String reason) {
            return reason;
        }

        @Override
        public boolean onFailed(String callback, @Nullable Message message, Throwable thrown) {
            throw new AssertionError(thrown);
        }

        @Override
        public void onUnreadable(@Nullable Member sender) {
            throw new AssertionError("a packet of " + sender + " can't be read");
        }

        @Override
        public void onBroken(Throwable thrown) {
            broken.add(thrown);
        }

        @Override
        public void onKnown(long ask, Delivery delivery) {}

        @Override
        public void onEnded() {}
    }

    private final List<Throwable> broken = new ArrayList<>();
    private final List<Integer> delivered = new ArrayList<>();
    private int consumed;
    private DeliveryExecutor executor;

    private DeliveryExecutor start(SpareArrays spares) {
        Listeners listeners = new Listeners(
                true, message -> delivered.add(message.length()), null, () -> {}, view -> {}, () -> {}, reason -> {}, reason -> {});
        executor = new DeliveryExecutor("g", listeners, false, 1, new Here(), spares, new Assemblies(spares, LIMIT, true), new Owner());
        executor.onView(View.alone(SELF));
        return executor;
    }

    private void piece(int number, long total, long at, int length) {
        Packet packet = Packet.create(Memory.onHeap(), 64 + length)
                .appendByte(1)
                .appendInt(number)
                .appendLong(total)
                .appendLong(at)
                .append(new byte[length], 0, length);
        executor.onPacket(OTHER, packet.withPeer(OTHER).withReceipt(TO_ALL));
    }

    @Test
    void messageOfItsPiecesIsDelivered() {
        start(new SpareArrays(0));
        piece(1, LIMIT, 0, LIMIT / 2);
        piece(1, LIMIT, LIMIT / 2, LIMIT / 2);
        assertThat(delivered).containsExactly(LIMIT);
        assertThat(broken).isEmpty();
        assertThat(consumed).isEqualTo(2);
    }

    @Test
    void messageThatIsLongerThanTheLimitIsAReasonToLeaveWithBothNumbers() {
        start(new SpareArrays(0));
        piece(1, LIMIT + 1, 0, 1_000);
        assertThat(broken).singleElement().satisfies(thrown -> assertThat(thrown)
                .hasMessageContaining((LIMIT + 1) + " bytes from n2")
                .hasMessageContaining("message-bytes-max")
                .hasMessageContaining(LIMIT + " bytes here"));
        piece(2, 200_000, 0, 200_000);
        assertThat(delivered).as("nothing after what was missed").isEmpty();
        assertThat(consumed).as("and nobody waits for it").isEqualTo(2);
    }

    @Test
    void lackOfMemoryWhileAMessageIsPutTogetherIsAReasonToLeave() {
        start(new SpareArrays(0) {
            @Override
            public byte @Nullable [] take(long length) {
                throw new OutOfMemoryError("Java heap space");
            }
        });
        piece(1, LIMIT, 0, LIMIT / 2);
        assertThat(broken).singleElement().isInstanceOf(OutOfMemoryError.class);
        piece(1, LIMIT, LIMIT / 2, LIMIT / 2);
        assertThat(delivered).isEmpty();
        assertThat(consumed).isEqualTo(2);
    }
}
