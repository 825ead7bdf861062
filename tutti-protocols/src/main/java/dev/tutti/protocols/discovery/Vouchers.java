package dev.tutti.protocols.discovery;

import dev.tutti.core.NodeId;
import java.util.HashMap;

/**
 * Nodes that vouch for addresses which they have announced. An address at which no node was found counts against each of
 * them; beyond a limit, their addresses are not dialled any more.
 */
final class Vouchers {

    /**
     * Number of failed addresses, learned from one node, at which no node was found. Beyond, addresses that it
     * announces are not dialled any more. The limit for all nodes together is four times as high.
     */
    static final int STRANGERS_MAX = 256;

    private static final int STRANGERS_TOTAL_MAX = 4 * STRANGERS_MAX;

    /** Number of nodes remembered as the source of an address. */
    private static final int VOUCHERS_MAX = 4;

    /** Number of announced addresses that have led nowhere, by the node that announced them. */
    private final HashMap<NodeId, Integer> strangersOf = new HashMap<>();

    private int strangers;

    void vouch(Address address, NodeId author) {
        boolean isNew = !address.isProven() && address.vouchers.size() < VOUCHERS_MAX && address.vouchers.add(author);
        if (isNew && address.isStranger) {
            strangersOf.merge(author, 1, Integer::sum);
        }
    }

    /** Returns whether addresses that a node announces are not dialled any more. */
    boolean isExhausted(NodeId author) {
        return strangers >= STRANGERS_TOTAL_MAX || strangersOf.getOrDefault(author, 0) >= STRANGERS_MAX;
    }

    /** Returns whether only such nodes vouch for an address. */
    boolean isExhausted(Address address) {
        return !address.isProven() && !address.vouchers.isEmpty() && address.vouchers.stream().allMatch(this::isExhausted);
    }

    /** Counts an address without a node against the nodes that have announced it, or no longer. */
    void countStranger(Address address, boolean isStranger) {
        if (address.isStranger == isStranger) {
            return;
        }
        address.isStranger = isStranger;
        strangers += isStranger ? 1 : -1;
        for (NodeId author : address.vouchers) {
            countFor(author, isStranger);
        }
    }

    private void countFor(NodeId author, boolean isStranger) {
        int count = strangersOf.merge(author, isStranger ? 1 : -1, Integer::sum);
        if (count <= 0) {
            strangersOf.remove(author);
        }
    }

    /**
     * Withdraws the word of a node for an address.
     *
     * @return whether nobody would vouch for it any more; then nothing has changed, and the address is to be forgotten
     */
    boolean withdraw(Address address, NodeId author) {
        if (address.isProven() || !address.vouchers.contains(author)) {
            return false;
        }
        if (address.vouchers.size() == 1) {
            return true;
        }
        address.vouchers.remove(author);
        if (address.isStranger) {
            countFor(author, false);
        }
        return false;
    }

    /** Forgets a node whose word was withdrawn for all addresses. */
    void forget(NodeId author) {
        strangersOf.remove(author);
    }
}
