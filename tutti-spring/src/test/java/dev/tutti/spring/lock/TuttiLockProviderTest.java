package dev.tutti.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.spring.Local;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;

/** ShedLock's own tests of a provider of locks that can be extended. */
class TuttiLockProviderTest extends AbstractExtensibleLockProviderIntegrationTest {

    private final Node node = new Local().node("a");
    private final Coordination coordination =
            Coordination.on(node.group("coordination")).founders("a").join();
    private final TuttiLockProvider provider = new TuttiLockProvider(node, coordination);

    @AfterEach
    void close() {
        node.close();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return provider;
    }

    private Optional<Hold> taken(String lockName) {
        return coordination.lock("shedlock " + lockName).tryAcquire();
    }

    @Override
    protected void assertUnlocked(String lockName) {
        Optional<Hold> hold = taken(lockName);
        assertThat(hold).isPresent();
        hold.get().release().join();
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(taken(lockName)).isEmpty();
    }
}
