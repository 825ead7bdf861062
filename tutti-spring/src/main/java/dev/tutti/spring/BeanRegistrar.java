package dev.tutti.spring;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.CallsBuilder;
import dev.tutti.blocks.calls.Service;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.Overflow;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.spring.SpringSettings.MapOrder;
import dev.tutti.spring.SpringSettings.OneMap;
import dev.tutti.spring.serial.ObjectBytes;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/**
 * Makes a bean of each group, map and service: {@code chatGroup}, {@code pricesMap}, {@code pricingCalls}, each also
 * qualified by its name alone.
 */
final class BeanRegistrar implements BeanFactoryPostProcessor {

    private final Environment environment;

    BeanRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        SpringSettings settings = SpringSettings.of(environment);
        Annotated annotated = Annotated.in(beans, environment, settings.groups());
        beans.registerSingleton("tuttiAnnotated", annotated);
        annotated.groups().forEach(group -> register(
                beans, group, "Group", ResolvableType.forClass(Group.class), () -> beans.getBean(Groups.class).join(group)));
        settings.maps().forEach((name, map) -> register(
                beans,
                name,
                "Map",
                ResolvableType.forClassWithGenerics(
                        map.order() == MapOrder.TOTAL ? TotalOrderMap.class : ReplicatedMap.class, String.class, type(map)),
                () -> joinMap(beans.getBean(Node.class), name, map, beans.getBean(ObjectBytes.class))));
        settings.calls().forEach((name, type) -> register(
                beans,
                name,
                "Calls",
                ResolvableType.forClass(Calls.class),
                () -> joinCalls(beans, name, type)));
    }

    private static void register(
            ConfigurableListableBeanFactory beans, String name, String kind, ResolvableType type, Supplier<?> supplier) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(type);
        definition.setInstanceSupplier(supplier);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
        // Others count on members and their listeners, whoever uses the bean here.
        definition.setLazyInit(false);
        // The node leaves all groups, at its time.
        definition.setDestroyMethodName("");
        ((BeanDefinitionRegistry) beans).registerBeanDefinition(name + kind, definition);
    }

    private static Class<?> type(OneMap map) {
        return switch (map.values()) {
            case TEXT -> String.class;
            case BYTES -> byte[].class;
            case LONG -> Long.class;
            case DOUBLE -> Double.class;
            case OBJECT -> Object.class;
        };
    }

    private static ReplicatedMap<String, ?> joinMap(Node node, String name, OneMap map, ObjectBytes objects) {
        Codec<?> values = switch (map.values()) {
            case TEXT -> Codec.TEXT;
            case BYTES -> Codec.BYTES;
            case LONG -> Codec.LONG;
            case DOUBLE -> Codec.DOUBLE;
            case OBJECT -> objects.codec();
        };
        return joinMap(ReplicatedMap.on(node.group(name), Codec.TEXT, values), map);
    }

    private static <V> ReplicatedMap<String, V> joinMap(MapBuilder<String, V> builder, OneMap map) {
        if (map.timeToLive() != null) {
            builder.timeToLive(map.timeToLive());
        }
        builder.entriesMax(map.entriesMax(), Overflow.REFUSE);
        return map.order() == MapOrder.TOTAL ? builder.totalOrder() : builder.lastWriter();
    }

    private static <S> Calls joinCalls(BeanFactory beans, String name, Class<S> type) {
        CallsBuilder builder = Calls.on(beans.getBean(Node.class).group(name));
        beans.getBeanProvider(type).ifUnique(bean -> builder.serve(Service.of(name, type, Codecs.standard()), bean));
        return builder.join();
    }
}
