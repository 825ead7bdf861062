package dev.tutti.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The beans with {@link TuttiListener} and {@link Leader}, by their types: none is made for that.
 *
 * @param listeners methods by the name of their group
 * @param groups names of all groups to join, those of listeners included
 * @param leaders beans and methods by the name of their election
 */
record Annotated(Map<String, List<ListenerMethod>> listeners, Set<String> groups, Map<String, List<LeaderTarget>> leaders) {

    /**
     * A bean or a method that runs at the leader.
     *
     * @param method null if the bean itself is started and stopped
     */
    record LeaderTarget(String bean, @Nullable Method method) {}

    /**
     * @param more names of groups to join without a listener
     * @throws IllegalStateException if a method or a class can't be what it is annotated as
     */
    static Annotated in(ConfigurableListableBeanFactory beans, Environment environment, List<String> more) {
        Annotated found = new Annotated(new TreeMap<>(), new TreeSet<>(more), new TreeMap<>());
        for (String name : beans.getBeanDefinitionNames()) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                found.add(name, beans.getType(name, false), environment);
            }
        }
        return found;
    }

    private void add(String name, @Nullable Class<?> declared, Environment environment) {
        Class<?> type = declared == null ? Object.class : ClassUtils.getUserClass(declared);
        if (!AnnotationUtils.isCandidateClass(type, List.of(TuttiListener.class, Leader.class))
                || type.getName().startsWith("org.springframework.")) {
            return;
        }
        methods(type, TuttiListener.class).forEach((method, annotation) -> {
            String group = environment.resolveRequiredPlaceholders(annotation.group());
            groups.add(group);
            listeners.computeIfAbsent(group, none -> new ArrayList<>()).add(new ListenerMethod(name, callable(method, type)));
        });
        methods(type, Leader.class).forEach((method, annotation) -> {
            if (method.getParameterCount() > 1
                    || method.getParameterCount() == 1 && method.getParameterTypes()[0] != long.class) {
                throw new IllegalStateException("@Leader: " + method + " of bean " + name
                        + " has no parameter, or a long for the fencing token");
            }
            addLeader(environment.resolveRequiredPlaceholders(annotation.value()), new LeaderTarget(name, callable(method, type)));
        });
        Leader annotation = AnnotatedElementUtils.findMergedAnnotation(type, Leader.class);
        if (annotation != null) {
            if (!Lifecycle.class.isAssignableFrom(type) || SmartLifecycle.class.isAssignableFrom(type)) {
                throw new IllegalStateException("@Leader: " + type + " of bean " + name + " implements Lifecycle, whose start and"
                        + " stop are called at the leader, and not SmartLifecycle, which Spring starts itself");
            }
            addLeader(environment.resolveRequiredPlaceholders(annotation.value()), new LeaderTarget(name, null));
        }
    }

    private void addLeader(String election, LeaderTarget target) {
        leaders.computeIfAbsent(election, none -> new ArrayList<>()).add(target);
    }

    private static <A extends Annotation> Map<Method, A> methods(Class<?> type, Class<A> annotation) {
        return MethodIntrospector.selectMethods(
                type,
                (MethodIntrospector.MetadataLookup<A>) method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
    }

    private static Method callable(Method method, Class<?> type) {
        Method callable = AopUtils.selectInvocableMethod(method, type);
        callable.trySetAccessible();
        return callable;
    }
}
