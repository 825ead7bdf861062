package dev.tutti.spring.cache;

import dev.tutti.Node;
import dev.tutti.spring.SpringSettings;
import dev.tutti.spring.TuttiAutoConfiguration;
import dev.tutti.spring.serial.ObjectBytes;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Replicates the caches of applications with {@code @EnableCaching}, no cache manager and no {@code spring.cache.type}. */
@AutoConfiguration(
        after = TuttiAutoConfiguration.class,
        beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnBean({Node.class, CacheAspectSupport.class})
@ConditionalOnMissingBean(CacheManager.class)
@ConditionalOnBooleanProperty(name = "tutti.spring.cache.enabled", matchIfMissing = true)
@Conditional(TuttiCacheAutoConfiguration.NoOtherType.class)
public final class TuttiCacheAutoConfiguration {

    @Bean
    TuttiCacheManager cacheManager(Node node, SpringSettings settings, ObjectBytes objects) {
        return new TuttiCacheManager(node, settings.cache(), objects);
    }

    /** True unless the application has chosen one of Spring's own kinds of caches. */
    static final class NoOtherType extends NoneNestedConditions {

        NoOtherType() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        /** The choice. */
        @ConditionalOnProperty("spring.cache.type")
        static final class Chosen {}
    }
}
