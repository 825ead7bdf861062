package dev.tutti.spring;

import dev.tutti.Node;
import dev.tutti.metrics.TuttiMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Numbers of the node as meters of Micrometer; Spring Boot binds them to its registries. */
@AutoConfiguration(after = TuttiAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(Node.class)
public final class TuttiMetricsAutoConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    TuttiMetrics tuttiMetrics(Node node) {
        return new TuttiMetrics(node);
    }
}
