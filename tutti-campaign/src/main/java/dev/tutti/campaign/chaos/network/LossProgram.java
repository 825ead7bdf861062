package dev.tutti.campaign.chaos.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A classic BPF program that drops packets from some IPv4 addresses, all of them or a random share.
 *
 * <p>The traffic control of Linux runs it for each frame on its way out of an interface ({@code tc filter … bpf da
 * bytecode}): that needs no packet filter (nftables, iptables) and is the same for TCP, UDP and multicast.
 */
final class LossProgram {

    /** Result that makes tc drop a packet, {@code TC_ACT_SHOT}; {@code TC_ACT_UNSPEC} lets it continue. */
    private static final long DROP = 2;

    private static final long PASS = 0xffff_ffffL;

    /** {@code SKF_AD_OFF + SKF_AD_RANDOM}: loads a random number. */
    private static final long RANDOM = 0xffff_f000L + 56;

    private static final int LOAD_HALF = 0x28;
    private static final int LOAD_WORD = 0x20;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int RETURN = 0x06;

    private static final int ETHERNET_TYPE = 12;
    private static final int IPV4 = 0x800;
    private static final int IPV4_SOURCE = 26;

    private LossProgram() {}

    /** Instructions per address; no jump is longer than fits in a byte. */
    private static final int ADDRESS_INSTRUCTIONS = 5;

    /**
     * Returns the program in the form that tc accepts.
     *
     * @param losses share of loss by address (as a number); 1 for everything, up to 32 addresses
     */
    static String of(Map<Integer, Double> losses) {
        TreeMap<Integer, Double> sorted = new TreeMap<>(losses);
        if (sorted.size() > ADDRESSES_MAX) {
            throw new IllegalArgumentException(sorted.size() + " addresses, at most " + ADDRESSES_MAX);
        }
        List<String> program = new ArrayList<>();
        int rest = sorted.size() * ADDRESS_INSTRUCTIONS + 1;
        program.add(line(LOAD_HALF, 0, 0, ETHERNET_TYPE));
        // Other packets than IPv4, such as address resolution, pass.
        program.add(line(JUMP_EQUAL, 0, rest - 1, IPV4));
        sorted.forEach((address, loss) -> {
            program.add(line(LOAD_WORD, 0, 0, IPV4_SOURCE));
            program.add(line(JUMP_EQUAL, 0, 3, Integer.toUnsignedLong(address)));
            program.add(line(LOAD_WORD, 0, 0, RANDOM));
            program.add(line(JUMP_GREATER, 1, 0, threshold(loss)));
            program.add(line(RETURN, 0, 0, DROP));
        });
        program.add(line(RETURN, 0, 0, PASS));
        return program.size() + "," + String.join(",", program);
    }

    /** Returns the largest random number that means a loss. */
    static long threshold(double loss) {
        if (!(loss > 0 && loss <= 1)) {
            throw new IllegalArgumentException("a loss of " + loss + ", more than 0 and up to 1");
        }
        return Math.round(loss * PASS);
    }

    private static String line(int code, int jumpTrue, int jumpFalse, long value) {
        return String.format(Locale.ROOT, "%d %d %d %d", code, jumpTrue, jumpFalse, value);
    }

    static final int ADDRESSES_MAX = 32;
}
