package dev.tutti.spring;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.config.YamlFile;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.spring.serial.ObjectBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Beans of the node and of everything on it, from the settings under {@code tutti}.
 *
 * <p>Without any settings the node listens on loopback alone, as every node does, and on a free port: so an application that
 * only has this library on its class path starts, also twice on a machine, and nobody elsewhere can reach it.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tutti.spring.enabled", matchIfMissing = true)
public final class TuttiAutoConfiguration {

    private static final String PORT = "bind.port";

    @Bean
    @ConditionalOnMissingBean
    SpringSettings tuttiSpringSettings(Environment environment) {
        return SpringSettings.of(environment);
    }

    @Bean
    static BeanRegistrar tuttiBeans(Environment environment) {
        return new BeanRegistrar(environment);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Node tuttiNode(
            ConfigurableEnvironment environment, ObjectProvider<GroupDefaults> defaults, ObjectProvider<NodeCustomizer> customizers) {
        NodeSpec spec = YamlFile.of(EnvironmentSettings.read(environment), Node.defaults());
        spec = spec.withNode(spec.node().with(PORT, "0", Source.PRESET, "default of tutti-spring"));
        for (GroupDefaults each : defaults.orderedStream().toList()) {
            spec = withDefaults(spec, each);
        }
        NodeBuilder builder = Node.of(spec);
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return builder.start();
    }

    private static NodeSpec withDefaults(NodeSpec spec, GroupDefaults defaults) {
        Settings own = spec.groups().getOrDefault(defaults.group(), Settings.of(spec.groupDefaults().definitions()));
        for (var setting : defaults.settings().entrySet()) {
            own = own.with(setting.getKey(), setting.getValue(), Source.PRESET, "default of tutti-spring");
        }
        return spec.withGroup(defaults.group(), own);
    }

    @Bean
    Groups tuttiGroups(Node node, BeanFactory beans, Annotated annotated) {
        return new Groups(node, beans, annotated);
    }

    @Bean
    TuttiLifecycle tuttiLifecycle(
            Node node, ObjectProvider<Groups> groups, ObjectProvider<Leadership> leadership, ObjectProvider<Calls> calls) {
        return new TuttiLifecycle(node, groups, leadership, calls);
    }

    @Bean
    @ConditionalOnProperty(name = "tutti.spring.health")
    HealthLifecycle tuttiHealthServer(Node node, SpringSettings settings) {
        return new HealthLifecycle(node, Objects.requireNonNull(settings.health(), "tutti.spring.health"));
    }

    /** Locks, elections and counters. Joined by whoever needs it first, as it needs settings: founders and a directory. */
    @Bean(destroyMethod = "")
    @Lazy
    @ConditionalOnMissingBean
    Coordination tuttiCoordination(Node node, SpringSettings settings) {
        return Coordination.on(node.group(settings.coordination())).join();
    }

    @Bean
    Leadership tuttiLeadership(ObjectProvider<Coordination> coordination, BeanFactory beans, Annotated annotated) {
        return new Leadership(coordination::getObject, beans, annotated.leaders());
    }

    /** Serialization of objects, for classes of the application's own packages and those that settings allow. */
    @Bean
    @ConditionalOnMissingBean
    ObjectBytes tuttiObjectBytes(BeanFactory beans, SpringSettings settings) {
        List<String> allowed = new ArrayList<>(settings.allowedClasses());
        if (AutoConfigurationPackages.has(beans)) {
            AutoConfigurationPackages.get(beans).stream()
                    .filter(name -> !name.isEmpty())
                    .forEach(name -> allowed.add(name + ".**"));
        }
        return new ObjectBytes(allowed);
    }
}
