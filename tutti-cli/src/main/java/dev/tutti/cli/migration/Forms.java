package dev.tutti.cli.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values of JGroups as tutti writes them. A value that is none is an {@code IllegalArgumentException} with what would be right. */
final class Forms {

    private static final Pattern AMOUNT = Pattern.compile("([0-9][0-9_]*)(\\.[0-9]+)?\\s*([a-zA-Z]*)");
    private static final Pattern HOST = Pattern.compile("([^\\[\\],\\s]+)\\[([0-9]{1,5})]");
    private static final int HOSTS_MAX = 1_000;

    private Forms() {}

    static String text(String value) {
        return value;
    }

    static String number(String value) {
        if (!value.matches("-?[0-9]{1,10}")) {
            throw new IllegalArgumentException("no whole number");
        }
        return value;
    }

    static String flag(String value) {
        return String.valueOf(Boolean.parseBoolean(value));
    }

    /** Returns a time. JGroups reads a number without a unit as milliseconds. */
    static String time(String value) {
        return millis(value) + " ms";
    }

    static long millis(String value) {
        Matcher amount = amount(value, "a time such as 500ms, 40s or 2m");
        double factor = switch (amount.group(3).toLowerCase(Locale.ROOT)) {
            case "", "ms" -> 1;
            case "us" -> 0.001;
            case "s" -> 1_000;
            case "m", "min" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> throw new IllegalArgumentException("no time such as 500ms, 40s or 2m");
        };
        return (long) (decimal(amount) * factor);
    }

    /** Returns a size. To JGroups, K is 1,000 and M a million. */
    static String size(String value) {
        long bytes = bytes(value);
        if (bytes != 0 && bytes % 1_000_000 == 0) {
            return bytes / 1_000_000 + " MB";
        }
        return bytes != 0 && bytes % 1_000 == 0 ? bytes / 1_000 + " kB" : bytes + " B";
    }

    static long bytes(String value) {
        Matcher amount = amount(value, "a size such as 60K or 4M");
        double factor = switch (amount.group(3).toLowerCase(Locale.ROOT)) {
            case "", "b" -> 1;
            case "k", "kb" -> 1e3;
            case "m", "mb" -> 1e6;
            case "g", "gb" -> 1e9;
            case "kib" -> 1 << 10;
            case "mib" -> 1 << 20;
            case "gib" -> 1 << 30;
            default -> throw new IllegalArgumentException("no size such as 60K or 4M");
        };
        return (long) (decimal(amount) * factor);
    }

    private static Matcher amount(String value, String right) {
        Matcher amount = AMOUNT.matcher(value.strip());
        if (!amount.matches() || value.length() > 20) {
            throw new IllegalArgumentException("no " + right.substring(2));
        }
        return amount;
    }

    private static double decimal(Matcher amount) {
        String fraction = amount.group(2) == null ? "" : amount.group(2);
        return Double.parseDouble(amount.group(1).replace("_", "") + fraction);
    }

    /**
     * Returns hosts such as {@code a[7800],b[7801]} as seeds.
     *
     * @param range number of ports behind the first that JGroups tries, too
     */
    static List<String> hosts(String value, int range) {
        List<String> hosts = new ArrayList<>();
        for (String part : value.split(",")) {
            Matcher host = HOST.matcher(part.strip());
            if (!host.matches() || hosts.size() == HOSTS_MAX) {
                throw new IllegalArgumentException("no list of at most " + HOSTS_MAX + " hosts such as a[7800],b[7801]");
            }
            int port = Integer.parseInt(host.group(2));
            int last = Math.min(port + range, 65_535);
            hosts.add(endpoint(host.group(1), port) + (last > port ? "-" + last : ""));
        }
        return hosts;
    }

    static String endpoint(String host, Object port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Returns an address to bind to; of several that JGroups tries in turn, the first that does not name an interface. */
    static String bind(String value) {
        String first = "";
        for (String part : value.split(",")) {
            String bind = alternative(part.strip());
            boolean isInterface = part.strip().startsWith("match");
            if (!isInterface) {
                return bind;
            }
            first = first.isEmpty() ? bind : first;
        }
        return first;
    }

    private static String alternative(String part) {
        String lower = part.toLowerCase(Locale.ROOT);
        return switch (lower) {
            case "global", "site_local", "link_local", "loopback", "non_loopback" -> part.toUpperCase(Locale.ROOT);
            case "any_local", "0.0.0.0" -> "ANY";
            case "match-interface", "match-host", "match-address", "custom", "" ->
                throw new IllegalArgumentException("no address such as site_local, 10.0.0.1 or match-interface:eth0");
            default -> matching(part, lower);
        };
    }

    private static String matching(String part, String lower) {
        if (lower.startsWith("match-interface:")) {
            return part.substring("match-interface:".length()).replace(".*", "*");
        }
        if (lower.startsWith("match-") || lower.startsWith("custom:")) {
            throw new IllegalArgumentException("'" + part + "', which has no counterpart in bind.address; name the interface, eth0 or eth* for example");
        }
        return part;
    }
}
