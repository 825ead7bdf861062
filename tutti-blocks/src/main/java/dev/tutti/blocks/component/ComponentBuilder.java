package dev.tutti.blocks.component;

import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.internal.argument.Arguments;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Configures a component, and joins its group. All members configure it alike.
 *
 * @param <S> the interface
 */
public final class ComponentBuilder<S> {

    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);

    private final GroupBuilder group;
    private final Class<S> type;
    private final Supplier<? extends GroupState> factory;
    private final boolean isActive;
    private Codecs codecs = Codecs.standard();
    private Duration timeout = TIMEOUT_DEFAULT;
    private String @Nullable [] founders;

    ComponentBuilder(GroupBuilder group, Class<S> type, Supplier<? extends GroupState> factory, boolean isActive) {
        this.group = Arguments.required(group, "the group of a component");
        this.type = Arguments.required(type, "the interface of a component");
        this.factory = Arguments.required(factory, "the factory of a component");
        this.isActive = isActive;
    }

    /** Sets the codecs of arguments and results. {@link Codecs#standard} by default. */
    public ComponentBuilder<S> codecs(Codecs used) {
        codecs = Arguments.required(used, "codecs: the codecs");
        return this;
    }

    /** Sets the time-out of calls; 1 ms to 1 day, 10 s by default. */
    public ComponentBuilder<S> timeout(Duration limit) {
        timeout = Arguments.timeout(limit, "timeout: the limit");
        return this;
    }

    /**
     * Restricts calls to the primary partition, as {@link dev.tutti.blocks.machine.ReplicaBuilder#onlyInPrimary} does.
     *
     * @param names names of the nodes of which a majority makes the first primary view; none if the group's settings name them
     */
    public ComponentBuilder<S> onlyInPrimary(String... names) {
        founders = Arguments.allRequired(names, "onlyInPrimary: the founders").clone();
        return this;
    }

    GroupBuilder group() {
        return group;
    }

    Class<S> type() {
        return type;
    }

    /** Returns the factory, whose objects have been looked at: they are of the interface. */
    Supplier<GroupState> factory() {
        return () -> {
            GroupState made = Arguments.required(factory.get(), "what the factory of component " + group.name() + " has made");
            if (!type.isInstance(made)) {
                throw new IllegalArgumentException(
                        made.getClass().getName() + ", which the factory of component " + group.name() + " has made, is no " + type.getName());
            }
            return made;
        };
    }

    Codecs codecs() {
        return codecs;
    }

    Duration timeout() {
        return timeout;
    }

    String @Nullable [] founders() {
        return founders;
    }

    /**
     * Joins the group, and obtains the state.
     *
     * @throws IllegalArgumentException if the factory makes something else than implementations, a type has no codec, or a method returns a
     *     future
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could provide the state, or those that can have other methods
     */
    public Component<S> join() {
        return isActive ? ActiveEngine.join(this) : PassiveEngine.join(this);
    }
}
