package dev.tutti.cli.doctor;

import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The table of IPv4 routes, from Linux. */
final class Routes {

    private static final Path TABLE = Path.of("/proc/net/route");
    private static final int PREFIX_MAX = 24;

    private Routes() {}

    /** Returns the interface of the most specific route; empty if there is none; {@code *} if there is no table. */
    static String interfaceTo(Inet4Address address) throws IOException {
        if (!Files.isReadable(TABLE)) {
            return "*";
        }
        return interfaceTo(number(address), Files.readAllLines(TABLE));
    }

    static String interfaceTo(int address, List<String> table) {
        String best = "";
        long bestMask = -1;
        for (String line : table) {
            String[] words = line.split("\\s+");
            if (words.length > 7 && !words[0].equals("Iface")) {
                int network = Integer.reverseBytes(Integer.parseUnsignedInt(words[1], 16));
                int mask = Integer.reverseBytes(Integer.parseUnsignedInt(words[7], 16));
                long length = Integer.toUnsignedLong(mask);
                if ((address & mask) == network && length > bestMask) {
                    best = words[0];
                    bestMask = length;
                }
            }
        }
        return best;
    }

    /** Returns the length of a network prefix that both share, limited to a usual one. */
    static int commonPrefix(Inet4Address one, Inet4Address other) {
        return Math.min(PREFIX_MAX, Integer.numberOfLeadingZeros(number(one) ^ number(other)));
    }

    static int number(Inet4Address address) {
        int number = 0;
        for (byte each : address.getAddress()) {
            number = number << 8 | each & 0xff;
        }
        return number;
    }
}
