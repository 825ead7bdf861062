package dev.tutti.grid.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Memory that several share. */
class ShareTest {

    private static final class Owner implements Share.Holder {

        private final Share share;
        private final AtomicLong held = new AtomicLong();
        private boolean isStubborn;

        Owner(Share share, long bytes) {
            this.share = share;
            share.enter(this);
            take(bytes);
        }

        void take(long bytes) {
            held.addAndGet(bytes);
            share.add(bytes);
        }

        @Override
        public long heldBytes() {
            return held.get();
        }

        @Override
        public void giveBack(long bytes) {
            if (!isStubborn) {
                take(-Math.min(bytes, held.get()));
            }
        }
    }

    @Test
    void theLargestGivesBackUntilItIsEnough() {
        Share share = new Share(100);
        Owner small = new Owner(share, 10);
        Owner large = new Owner(share, 70);
        Owner larger = new Owner(share, 80);
        share.relieve();
        assertThat(share.usedBytes()).isLessThanOrEqualTo(100);
        assertThat(small.heldBytes()).isEqualTo(10);
        assertThat(large.heldBytes() + larger.heldBytes()).isLessThanOrEqualTo(90);
        assertThat(share.relieved()).isPositive();
    }

    @Test
    void nothingIsTakenThatNobodyMakesRoomFor() {
        Share share = new Share(100);
        assertThat(share.tryTake(90)).isTrue();
        Owner owner = new Owner(share, 10);
        assertThat(share.tryTake(20)).isFalse();
        assertThat(share.usedBytes()).isEqualTo(90 + owner.heldBytes());
        assertThat(share.tryTake(10 - owner.heldBytes())).isTrue();
    }

    @Test
    void aHolderThatGivesNothingBackDoesNotHoldUpTheOthers() {
        Share share = new Share(100);
        Owner stubborn = new Owner(share, 200);
        stubborn.isStubborn = true;
        share.relieve();
        assertThat(share.usedBytes()).isEqualTo(200);
        share.leave(stubborn);
        assertThatIllegalArgumentException().isThrownBy(() -> new Share(0));
    }

    @Test
    void manyThreadsKeepToIt() throws InterruptedException {
        Share share = new Share(10_000);
        CountDownLatch done = new CountDownLatch(8);
        List<Owner> owners = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Owner owner = new Owner(share, 0);
            owners.add(owner);
            Thread.ofVirtual().start(() -> {
                for (int turn = 0; turn < 2_000; turn++) {
                    owner.take(100);
                    share.relieve();
                }
                done.countDown();
            });
        }
        done.await();
        share.relieve();
        assertThat(share.usedBytes()).isLessThanOrEqualTo(10_000).isEqualTo(owners.stream().mapToLong(Owner::heldBytes).sum());
    }
}
