package dev.tutti.tomcat;

import dev.tutti.Node;
import dev.tutti.core.settings.Durations;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.diagnostics.Reports;
import dev.tutti.tomcat.diagnostics.WrongAttributes;
import dev.tutti.tomcat.node.NodeAttributes;
import dev.tutti.tomcat.node.NodeOptions;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.blocks.internal.serial.AllowedClasses;
import dev.tutti.tomcat.sites.SiteAttributes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Values of the attributes of one {@code <Manager>}, and what they amount to. {@link TuttiManager} describes each at its
 * setter. A text that can't be parsed is noted, so that the application is refused when it starts. Set by one thread
 * before the manager starts.
 */
final class ManagerSettings {

    private final WrongAttributes wrong = new WrongAttributes(TuttiManager.class);
    private final NodeAttributes node = new NodeAttributes();
    private final TreeMap<String, String> groupTexts = new TreeMap<>();
    private final SiteAttributes sites = new SiteAttributes();
    private String pathname = "tutti-sessions.bin";
    private String group = "";
    private String allowedClasses = "";
    private String codec = "";
    private @Nullable SessionCodec codecObject;
    private SaveMode saveMode = SaveMode.ON_GET;
    private int copies = ReplicationOptions.ALL;
    private Acknowledgement acknowledgement = Acknowledgement.ALL;
    private Duration acknowledgementTimeout = ReplicationOptions.ACKNOWLEDGEMENT_TIMEOUT;
    private Duration changeDelay = Duration.ofMillis(50);
    private Duration objectTimeout = Duration.ofMinutes(1);
    private Duration queryTimeout = Duration.ofSeconds(1);
    private Duration startTimeout = Duration.ofSeconds(10);
    private Duration joinPatience = Duration.ofSeconds(10);
    private Duration stopTimeout = Duration.ofSeconds(10);
    private AfterAbsence afterAbsence = AfterAbsence.WAIT;
    private Duration absenceTimeout = Duration.ofSeconds(10);

    // ---- setting

    WrongAttributes wrong() {
        return wrong;
    }

    /** Sets a setting of the node, by the name that it has in files. */
    void setOfNode(String name, String text) {
        node.set(name, text);
    }

    void setPort(int port) {
        node.setPort(wrong.parse("port", Integer.toString(port), () -> NodeAttributes.checkPort(port)));
    }

    void setSecretFile(String path) {
        node.setSecretFile(path);
    }

    void setTls(String files) {
        node.setTls(files);
    }

    void setInsecure(boolean isInsecure) {
        node.setInsecure(isInsecure);
    }

    void setInsecure(String text) {
        node.setInsecure(wrong.parse("insecure", text, () -> switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        }));
    }

    void setSettings(String settings) {
        wrong.parse("settings", "…", () -> {
            for (String setting : settings.split(";", -1)) {
                addSetting(setting);
            }
            return settings;
        });
    }

    private void addSetting(String setting) {
        int separator = setting.indexOf('=');
        if (separator > 0) {
            String name = setting.substring(0, separator).strip();
            boolean isOfGroup = Node.defaults().groupDefaults().has(name);
            String text = setting.substring(separator + 1).strip();
            if (isOfGroup) {
                groupTexts.put(name, text);
            } else {
                node.set(name, text);
            }
        } else if (!setting.isBlank()) {
            throw new IllegalArgumentException("'" + setting + "' is not name=value");
        }
    }

    /** Returns the attributes about sites, which are set there. */
    SiteAttributes sites() {
        return sites;
    }

    void setBridgePort(int port) {
        sites.setPort(wrong.parse("bridgePort", Integer.toString(port), () -> NodeAttributes.checkPort(port)));
    }

    void setGroup(String group) {
        this.group = group;
    }

    void setAllowedClasses(String patterns) {
        wrong.parse("allowedClasses", patterns, () -> AllowedClasses.of("allowedClasses", patterns));
        allowedClasses = patterns;
    }

    void setCodec(String className) {
        codec = className;
    }

    void setSessionCodec(SessionCodec codec) {
        codecObject = codec;
    }

    void setSaveMode(String mode) {
        saveMode = parse("saveMode", SaveMode.class, mode);
    }

    void setCopies(String text) {
        copies = wrong.parse("copies", text, () -> {
            if (text.strip().equalsIgnoreCase("all")) {
                return ReplicationOptions.ALL;
            }
            if (!text.strip().matches("[0-9]{1,2}") || Integer.parseInt(text.strip()) < 2) {
                throw new IllegalArgumentException("neither all nor a number of nodes from 2 to 99");
            }
            return Integer.parseInt(text.strip());
        });
    }

    void setAcknowledgement(String mode) {
        acknowledgement = parse("acknowledgement", Acknowledgement.class, mode);
    }

    void setAcknowledgementTimeout(String text) {
        acknowledgementTimeout = duration("acknowledgementTimeout", text);
    }

    void setChangeDelay(String text) {
        changeDelay = wrong.parse("changeDelay", text, () -> {
            Duration delay = Durations.parse(text);
            if (delay.compareTo(Duration.ofMillis(1)) < 0 || delay.compareTo(Duration.ofSeconds(5)) > 0) {
                throw new IllegalArgumentException("outside 1 ms to 5 s");
            }
            return delay;
        });
    }

    void setObjectTimeout(String text) {
        objectTimeout = duration("objectTimeout", text);
    }

    void setQueryTimeout(String text) {
        queryTimeout = duration("queryTimeout", text);
    }

    void setStartTimeout(String text) {
        startTimeout = duration("startTimeout", text);
    }

    void setAfterAbsence(String mode) {
        afterAbsence = parse("afterAbsence", AfterAbsence.class, mode);
    }

    void setAbsenceTimeout(String text) {
        absenceTimeout = duration("absenceTimeout", text);
    }

    void setJoinPatience(String text) {
        joinPatience = duration("joinPatience", text);
    }

    void setStopTimeout(String text) {
        stopTimeout = duration("stopTimeout", text);
    }

    void setPathname(String pathname) {
        this.pathname = pathname;
    }

    private Duration duration(String attribute, String text) {
        return wrong.parse(attribute, text, () -> Durations.parse(text));
    }

    private <E extends Enum<E>> E parse(String attribute, Class<E> type, String text) {
        return wrong.parse(attribute, text, () -> {
            List<String> names = new ArrayList<>();
            for (E constant : type.getEnumConstants()) {
                String name = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
                if (name.equalsIgnoreCase(text.strip())) {
                    return constant;
                }
                names.add(name);
            }
            throw new IllegalArgumentException("not one of " + String.join(", ", names));
        });
    }

    // ---- values

    SaveMode saveMode() {
        return saveMode;
    }

    Duration changeDelay() {
        return changeDelay;
    }

    Duration objectTimeout() {
        return objectTimeout;
    }

    Duration stopTimeout() {
        return stopTimeout;
    }

    String pathname() {
        return pathname;
    }

    /** Returns the group's name; empty if it is to be made of the host's and the application's. */
    String group() {
        return group;
    }

    /**
     * @param keyOf maps the id that a client has to the part that all nodes agree on
     * @param zone returns the zone of the node once it runs; empty if it has none
     */
    ReplicationOptions replicationOptions(UnaryOperator<String> keyOf, Supplier<String> zone) {
        return new ReplicationOptions(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf)
                .with(new ReplicationOptions.Absence(afterAbsence == AfterAbsence.WAIT, absenceTimeout))
                .withCopies(copies)
                .withZone(zone);
    }

    /**
     * Returns the options of the node.
     *
     * @param base directory that a relative path of a secret belongs to
     * @throws IllegalArgumentException if there are two secrets
     */
    NodeOptions nodeOptions(Path base) {
        return node.options(base, sites.options(node.cluster()));
    }

    Duration startTimeout() {
        return startTimeout;
    }

    /** Returns the settings of the group, by the names that they have in files. */
    Map<String, String> groupSettings() {
        TreeMap<String, String> settings = new TreeMap<>(groupTexts);
        settings.putIfAbsent("join-patience", Durations.print(joinPatience));
        if (copies != ReplicationOptions.ALL) {
            // A node with another number would not find the sessions of this one.
            settings.put("must-match", "copies=" + copies);
        }
        return settings;
    }

    /**
     * Returns the codec of attributes and fields.
     *
     * @param classes returns the application's class loader
     * @throws ReflectiveOperationException if the class of the codec can't be loaded or created
     */
    AttributeCodec attributeCodec(Supplier<ClassLoader> classes, ReplicationCounters counters, Reports reports)
            throws ReflectiveOperationException {
        AllowedClasses allowed = AllowedClasses.of("allowedClasses", allowedClasses);
        return new AttributeCodec(sessionCodec(allowed, classes), allowed, classes, counters, reports);
    }

    private SessionCodec sessionCodec(AllowedClasses allowed, Supplier<ClassLoader> classes)
            throws ReflectiveOperationException {
        SessionCodec chosen = codecObject;
        if (chosen != null) {
            return chosen;
        }
        if (codec.isEmpty()) {
            return new JavaSerialization(allowed);
        }
        Object made = Class.forName(codec, true, classes.get()).getConstructor().newInstance();
        if (made instanceof SessionCodec sessionCodec) {
            return sessionCodec;
        }
        throw new IllegalArgumentException("codec=\"" + codec + "\" is not a " + SessionCodec.class.getName());
    }
}
