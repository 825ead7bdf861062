package dev.tutti.spring;

import dev.tutti.Node;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health of the node as part of the application's: {@code DOWN} if only a restart helps, {@code OUT_OF_SERVICE} if it is not ready. */
@AutoConfiguration(after = TuttiAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(Node.class)
public final class TuttiHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "tuttiHealthIndicator")
    HealthIndicator tuttiHealthIndicator(Node node) {
        return () -> {
            dev.tutti.Health health = node.health();
            Health.Builder builder = new Health.Builder();
            if (!health.isAlive()) {
                builder.down();
            } else if (!health.isReady()) {
                builder.outOfService();
            } else {
                builder.up();
            }
            builder.withDetail("node", node.name()).withDetail("address", node.address());
            if (!health.reasons().isEmpty()) {
                builder.withDetail("reasons", health.reasons());
            }
            return builder.build();
        };
    }
}
