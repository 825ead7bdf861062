package dev.tutti.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.spring.Local;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
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

    @Override
    protected void assertUnlocked(String lockName) {
        Optional<SimpleLock> lock = provider.lock(lockConfig(lockName));
        assertThat(lock).isPresent();
        lock.get().unlock();
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(provider.lock(lockConfig(lockName))).isEmpty();
        assertThat(coordination.lock("shedlock " + lockName).tryAcquire()).isEmpty();
    }
}
