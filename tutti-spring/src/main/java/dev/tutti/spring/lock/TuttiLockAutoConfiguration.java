package dev.tutti.spring.lock;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.spring.TuttiAutoConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.integration.support.locks.LockRegistry;

/** Locks for ShedLock and Spring Integration, made when somebody asks for them: the group needs founders and a directory. */
@AutoConfiguration(after = TuttiAutoConfiguration.class)
@ConditionalOnBean(Node.class)
public final class TuttiLockAutoConfiguration {

    /** For ShedLock. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LockProvider.class)
    static final class ShedLock {

        @Bean
        @Lazy
        @ConditionalOnMissingBean(LockProvider.class)
        TuttiLockProvider tuttiLockProvider(Node node, Coordination coordination) {
            return new TuttiLockProvider(node, coordination);
        }
    }

    /** For Spring Integration. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LockRegistry.class)
    static final class Integration {

        @Bean
        @Lazy
        @ConditionalOnMissingBean(LockRegistry.class)
        TuttiLockRegistry tuttiLockRegistry(Coordination coordination) {
            return new TuttiLockRegistry(coordination);
        }
    }
}
