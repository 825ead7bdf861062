package dev.tutti.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.core.env.Environment;

/**
 * Settings under {@code tutti.spring}: those that only an application on Spring has. All others, under {@code tutti}, are
 * the node's and read by tutti-config.
 *
 * @param enabled whether there is a node at all
 * @param groups groups of messages to join, besides those with a listener
 * @param maps replicated maps by the names of their groups
 * @param calls interfaces of services by the names of their groups
 * @param allowedClasses patterns of classes that may be in sessions, caches and maps of objects, besides values of the
 *     JDK and the application's own packages: {@code com.shop.Cart}, {@code com.shop.*}, {@code com.shop.**}
 * @param coordination group of locks and elections
 * @param health address and port of the node's health and numbers over HTTP, {@code ANY:9464} for example; null for none
 * @param session settings of HTTP sessions
 * @param cache settings of caches
 */
public record SpringSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue List<String> groups,
        @DefaultValue Map<String, OneMap> maps,
        @DefaultValue Map<String, Class<?>> calls,
        @DefaultValue List<String> allowedClasses,
        @DefaultValue("coordination") String coordination,
        @Nullable String health,
        @DefaultValue Sessions session,
        @DefaultValue Caches cache) {

    /** Beginning of the names. */
    public static final String PREFIX = "tutti.spring";

    /** Order of a map's writes. */
    public enum MapOrder {
        LAST_WRITER,
        TOTAL
    }

    /** Type of a map's values; keys are texts. */
    public enum MapValues {
        TEXT,
        BYTES,
        LONG,
        DOUBLE,
        OBJECT
    }

    /**
     * A map.
     *
     * @param order form of the map
     * @param values type of the values
     * @param timeToLive time to live of entries; null if they have no limit
     * @param entriesMax maximum number of entries; beyond, writes of new keys are refused
     */
    public record OneMap(
            @DefaultValue("last-writer") MapOrder order,
            @DefaultValue("text") MapValues values,
            @Nullable Duration timeToLive,
            @DefaultValue("1000000") int entriesMax) {}

    /**
     * Sessions.
     *
     * @param enabled whether sessions are replicated
     * @param group their group
     * @param sync whether a request waits for what other nodes have saved before it
     * @param saveMode name of a {@code SaveMode} of Spring Session
     */
    public record Sessions(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("spring-session") String group,
            @DefaultValue("true") boolean sync,
            @DefaultValue("on-set-attribute") String saveMode) {}

    /**
     * Caches.
     *
     * @param enabled whether there is a cache manager
     * @param timeToLive time to live of entries; null if they have no limit
     * @param entriesMax maximum number of entries of a cache; beyond, those go that have not been written for the longest
     *     time
     * @param caches caches with values of their own, by name
     */
    public record Caches(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration timeToLive,
            @DefaultValue("10000") int entriesMax,
            @DefaultValue Map<String, OneCache> caches) {}

    /**
     * A cache with values of its own.
     *
     * @param timeToLive as for all caches if null
     * @param entriesMax as for all caches if null
     */
    public record OneCache(@Nullable Duration timeToLive, @Nullable Integer entriesMax) {}

    /**
     * Reads the settings.
     *
     * @throws org.springframework.boot.context.properties.bind.BindException if a value is wrong, or a name is none
     */
    public static SpringSettings of(Environment environment) {
        return Binder.get(environment)
                .bindOrCreate(PREFIX, Bindable.of(SpringSettings.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }
}
