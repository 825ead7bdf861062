package dev.tutti.protocols.added;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Guarantee;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Layers of the user's own in one group's stack, at their places among those of tutti.
 *
 * <p>Each stands at the lowest place where all that it requires is provided from below. The places are found from the bottom
 * to the top: at each, the layers that may stand there do, in the order in which the group lists them.
 */
public final class AddedLayers {

    /** Longest text of {@link #inCommon}, which is part of what members tell each other about their stacks. */
    static final int IN_COMMON_BYTES_MAX = 256;

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    /**
     * @param isCounted whether the windows of reliability count the bytes of the layer's packets
     */
    private record Place(LayerProvider provider, boolean isCounted) {}

    /** By layer of tutti, from the bottom: the layers right below it. */
    private final List<List<Place>> below;

    private final String inCommon;

    private AddedLayers(List<List<Place>> below, String inCommon) {
        this.below = below;
        this.inCommon = inCommon;
    }

    /**
     * Finds the places.
     *
     * @param own guarantees that each layer of tutti adds, from the bottom to the top
     * @param wanted in the order in which the group lists them
     * @throws SettingException if a layer can't be used, or a guarantee is missing; the message says what would provide it
     */
    public static AddedLayers place(
            String group, Settings settings, List<List<Guarantee>> own, List<LayerProvider> wanted) {
        String place = "group '" + group + "': ";
        check(place, wanted);
        List<LayerProvider> remaining = new ArrayList<>(wanted);
        Set<Guarantee> provided = new HashSet<>();
        List<List<Place>> below = new ArrayList<>();
        for (List<Guarantee> layer : own) {
            List<Place> here = new ArrayList<>();
            LayerProvider next = next(remaining, provided);
            while (next != null) {
                remaining.remove(next);
                provided.addAll(next.provides());
                here.add(new Place(next, provided.contains(Guarantee.IN_VIEW)));
                next = next(remaining, provided);
            }
            below.add(here);
            provided.addAll(layer);
        }
        if (!remaining.isEmpty()) {
            throw missing(place, remaining, provided);
        }
        String inCommon = inCommon(settings, below);
        if (inCommon.length() > IN_COMMON_BYTES_MAX) {
            throw new SettingException(place + "the layers and their settings that all members need alike take " + inCommon.length()
                    + " characters, at most " + IN_COMMON_BYTES_MAX + "; name fewer in LayerProvider.settingsInCommon");
        }
        return new AddedLayers(below, inCommon);
    }

    private static void check(String place, List<LayerProvider> wanted) {
        Set<String> names = new HashSet<>();
        int headerBytes = 0;
        for (LayerProvider provider : wanted) {
            String name = provider.name();
            if (!NAME.matcher(name).matches()) {
                throw new SettingException(place + "a layer is called '" + name
                        + "'; a name is a lower-case letter, then letters, digits and hyphens, at most 32 characters");
            }
            if (!names.add(name)) {
                throw new SettingException(place + "layer '" + name + "' is there twice; a group has a layer once");
            }
            for (Setting<?> setting : provider.settings()) {
                if (!setting.name().startsWith("layer." + name + ".")) {
                    throw new SettingException(place + "layer '" + name + "' has a setting '" + setting.name()
                            + "', whose name has to begin with layer." + name + ".");
                }
            }
            if (provider.headerBytes() < 0 || provider.headerBytes() > 0 && !provider.isInCommon()) {
                throw new SettingException(place + "layer '" + name + "' has headers of " + provider.headerBytes()
                        + " bytes; only a layer that all members have in common can have any");
            }
            headerBytes += provider.headerBytes();
        }
        if (headerBytes > LayerProvider.HEADER_BYTES_MAX) {
            throw new SettingException(place + "the headers of its layers take " + headerBytes + " bytes, at most "
                    + LayerProvider.HEADER_BYTES_MAX + "; leave a layer out of " + names);
        }
    }

    /** Returns the first layer that may stand where this is provided from below; null if none may. */
    private static @Nullable LayerProvider next(List<LayerProvider> remaining, Set<Guarantee> provided) {
        for (LayerProvider provider : remaining) {
            // A layer of tutti that counts the bytes of its own packets knows of no headers below it.
            boolean isUncounted = provider.headerBytes() == 0
                    || !provided.contains(Guarantee.IN_VIEW)
                    || provided.contains(Guarantee.APPLICATION);
            if (isUncounted && provided.containsAll(provider.requires())) {
                return provider;
            }
        }
        return null;
    }

    private static SettingException missing(String place, List<LayerProvider> remaining, Set<Guarantee> provided) {
        LayerProvider provider = remaining.getFirst();
        Guarantee missing = provider.requires().stream()
                .filter(guarantee -> !provided.contains(guarantee))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("layer " + provider.name() + " has no place and misses nothing"));
        String sentence = place + "layer '" + provider.name() + "' requires " + missing + ", which ";
        for (LayerProvider other : remaining) {
            if (other.provides().contains(missing)) {
                return new SettingException(sentence + "layer '" + other.name() + "' provides, but that one can't stand below it");
            }
        }
        return new SettingException(sentence + "nothing in this group provides; " + missing.source() + " would");
    }

    private static String inCommon(Settings settings, List<List<Place>> below) {
        StringBuilder names = new StringBuilder();
        StringBuilder values = new StringBuilder();
        for (List<Place> places : below) {
            for (Place place : places) {
                LayerProvider provider = place.provider();
                if (provider.isInCommon()) {
                    names.append(names.isEmpty() ? "layers: " : ",").append(provider.name());
                    for (Setting<?> setting : provider.settingsInCommon()) {
                        values.append(setting.name()).append(": ").append(settings.text(setting)).append('\n');
                    }
                }
            }
        }
        return names.isEmpty() ? "" : names.append('\n').append(values).toString();
    }

    /** Returns the layers that all members need, from the bottom to the top, with their settings: a line {@code name: value} each. */
    public String inCommon() {
        return inCommon;
    }

    /** Returns the header bytes of the layers whose packets the windows count. */
    public int countedBytes() {
        int bytes = 0;
        for (List<Place> places : below) {
            for (Place place : places) {
                bytes += place.isCounted() ? place.provider().headerBytes() : 0;
            }
        }
        return bytes;
    }

    /**
     * Creates the layers and inserts them among those of tutti, from the bottom to the top.
     *
     * @throws SettingException if a provider finds that settings contradict each other
     */
    public List<Layer> insert(List<Layer> own, LayerContext context) {
        List<Layer> all = new ArrayList<>();
        for (int index = 0; index < own.size(); index++) {
            // A stack without one of tutti's layers is a test's.
            List<Place> places = index < below.size() ? below.get(index) : List.of();
            for (Place place : places) {
                LayerProvider provider = place.provider();
                Settings settings = context.settings().withDefinitions(provider.settings());
                Layer layer = provider.create(new LayerContext(context.group(), context.self(), settings));
                all.add(new AddedLayer(provider.name(), layer, place.isCounted() ? provider.headerBytes() : 0));
            }
            all.add(own.get(index));
        }
        return all;
    }
}
