package dev.tutti.config;

import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Parses text into {@link YamlNode}s, bounded in depth and number.
 *
 * <p>Uses the engine's events rather than its objects, because objects have no lines, and so that anchors, aliases and
 * tags, which are useful for attacks and not for configuration, are refused at their place.
 */
final class YamlParser {

    /** Deepest nesting of maps and lists. */
    static final int DEPTH_MAX = 16;

    /** Most keys, values and elements of a file. */
    static final int NODES_MAX = 20_000;

    private final String label;
    private final Iterator<Event> events;
    private int nodes;

    private YamlParser(String label, Iterator<Event> events) {
        this.label = label;
        this.events = events;
    }

    static YamlNode parse(String label, String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(label)
                .setUseMarks(true)
                .setCodePointLimit(YamlText.BYTES_MAX)
                .build();
        try {
            return new YamlParser(label, new ParserImpl(settings, new StreamReader(settings, text))).document();
        } catch (MarkedYamlEngineException e) {
            String place = e.getProblemMark().map(mark -> place(label, mark)).orElse(label);
            throw new SettingException(place + ": this is no YAML: " + explain(e), e);
        } catch (NumberFormatException e) {
            // The engine throws this if a text ends within an escape.
            throw new SettingException(label + ": this is no YAML: an escape in a text is not complete", e);
        } catch (YamlEngineException e) {
            throw new SettingException(label + ": this is no YAML: " + e.getMessage(), e);
        }
    }

    /** Explains the most common mistakes, for which the engine's messages describe its internals. */
    private static String explain(MarkedYamlEngineException e) {
        String problem = e.getProblem() == null ? String.valueOf(e.getMessage()) : e.getProblem();
        if (problem.contains("\\t") || problem.contains("TAB")) {
            return "a tab; indent with spaces";
        }
        if (problem.contains("mapping values are not allowed here")) {
            return "a colon where no key can be; put the value in quotes, or check the indentation";
        }
        return problem;
    }

    private YamlNode document() {
        YamlNode root = new YamlNode.Nothing(label + ":1");
        boolean found = false;
        while (events.hasNext()) {
            Event event = events.next();
            switch (event.getEventId()) {
                case StreamStart, StreamEnd, DocumentEnd, Comment -> {}
                case DocumentStart -> {
                    if (found) {
                        throw error(event, "a second document begins; a file has one");
                    }
                    found = true;
                    root = node(events.next(), 0);
                }
                case Alias, Scalar, SequenceStart, SequenceEnd, MappingStart, MappingEnd ->
                    throw error(event, "content outside of a document");
            }
        }
        return root;
    }

    private YamlNode node(Event event, int depth) {
        nodes++;
        if (nodes > NODES_MAX) {
            throw error(event, "more than " + NODES_MAX + " keys and values");
        }
        if (depth > DEPTH_MAX) {
            throw error(event, "nested more than " + DEPTH_MAX + " levels deep");
        }
        return switch (event) {
            case AliasEvent alias ->
                throw error(alias, "'*" + alias.getAlias() + "' is an alias, which is not supported; write the value");
            case ScalarEvent scalar -> scalar(scalar);
            case CollectionStartEvent start -> {
                refuseDecoration(start, start.getTag().orElse(""));
                yield start.getEventId() == Event.ID.MappingStart ? mapping(start, depth) : sequence(start, depth);
            }
            default -> throw error(event, "unexpected " + event.getEventId());
        };
    }

    private YamlNode scalar(ScalarEvent event) {
        refuseDecoration(event, event.getTag().orElse(""));
        String text = event.getValue();
        boolean isBare = event.getScalarStyle() == ScalarStyle.PLAIN;
        boolean isNothing = switch (text) {
            case "", "~", "null", "Null", "NULL" -> true;
            default -> false;
        };
        return isBare && isNothing ? new YamlNode.Nothing(place(event)) : new YamlNode.Scalar(place(event), text);
    }

    private YamlNode sequence(Event start, int depth) {
        List<YamlNode> elements = new ArrayList<>();
        for (Event event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
            elements.add(node(event, depth + 1));
        }
        return new YamlNode.Sequence(place(start), List.copyOf(elements));
    }

    private YamlNode mapping(Event start, int depth) {
        List<YamlNode.Entry> entries = new ArrayList<>();
        TreeMap<String, String> places = new TreeMap<>();
        for (Event event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
            if (!(node(event, depth + 1) instanceof YamlNode.Scalar key)) {
                throw error(event, "a key is a text");
            }
            if (key.text().equals("<<")) {
                throw error(event, "'<<' is not supported; write the settings");
            }
            String before = places.putIfAbsent(key.text(), key.place());
            if (before != null) {
                throw error(event, "the key '" + key.text() + "' is there twice, before at " + before);
            }
            entries.add(new YamlNode.Entry(key, node(events.next(), depth + 1)));
        }
        return new YamlNode.Mapping(place(start), List.copyOf(entries));
    }

    private void refuseDecoration(NodeEvent event, String tag) {
        if (event.getAnchor().isPresent()) {
            throw error(event, "'&" + event.getAnchor().get() + "' is an anchor, which is not supported; remove it");
        }
        if (!tag.isEmpty()) {
            throw error(event, "'" + tag + "' is a tag, which is not supported; a setting knows its type");
        }
    }

    private SettingException error(Event event, String message) {
        return new SettingException(place(event) + ": " + message);
    }

    private String place(Event event) {
        return event.getStartMark().map(mark -> place(label, mark)).orElse(label);
    }

    private static String place(String label, Mark mark) {
        return label + ":" + (mark.getLine() + 1);
    }
}
