package dev.tutti.protocols.datagram;

import dev.tutti.core.driver.Endpoint;
import dev.tutti.protocols.link.IntMap;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/** Connections of a {@link DatagramNode}: by slot, by the ids of both ends, and by the node's number. */
final class DatagramConnections {

    /** Key of a connection as its other end knows it: the endpoint it sends from and the id it uses. */
    private record Remote(Endpoint endpoint, long id) {}

    /** Low bits of an id: the slot of the connection. The others can't be guessed. */
    private static final int SLOT_BITS = 20;

    private final Keys keys;
    private @Nullable DatagramConnection[] slots = new DatagramConnection[16];
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private int slotsUsed;
    private int count;
    private final IntMap<DatagramConnection> byNumber = new IntMap<>();

    /** Never iterated. */
    private final HashMap<Remote, DatagramConnection> byRemote = new HashMap<>();

    DatagramConnections(Keys keys) {
        this.keys = keys;
    }

    /** Returns the number of slots, for {@link #at}. */
    int slots() {
        return slotsUsed;
    }

    /** Returns the connection in a slot; null if it is free. */
    @Nullable DatagramConnection at(int slot) {
        return slots[slot];
    }

    int count() {
        return count;
    }

    /** Returns an id in a free slot, for a connection that is added with it. */
    long nextId() {
        Integer free = freeSlots.poll();
        int slot = free == null ? slotsUsed++ : free;
        if (slot == slots.length) {
            slots = Arrays.copyOf(slots, slots.length * 2);
        }
        return keys.draw() << SLOT_BITS | slot;
    }

    void add(DatagramConnection connection) {
        slots[slot(connection.localId)] = connection;
        if (connection.number != DatagramConnection.NO_NUMBER) {
            byNumber.put(connection.number, connection);
        }
        count++;
    }

    /** Notes the number that the node has given to a connection. */
    void onNumber(DatagramConnection connection) {
        byNumber.put(connection.number, connection);
    }

    /** Notes the id by which the other end knows a connection. */
    void onRemote(DatagramConnection connection, Endpoint endpoint, long id) {
        byRemote.put(new Remote(endpoint, id), connection);
    }

    void remove(DatagramConnection connection) {
        int slot = slot(connection.localId);
        slots[slot] = null;
        freeSlots.add(slot);
        byNumber.remove(connection.number);
        Endpoint endpoint = connection.endpoint;
        if (endpoint != null) {
            byRemote.remove(new Remote(endpoint, connection.remoteId), connection);
        }
        count--;
    }

    /** Returns the connection with this end's id; null if there is none. */
    @Nullable DatagramConnection find(long id) {
        int slot = slot(id);
        DatagramConnection connection = slot < slotsUsed ? slots[slot] : null;
        return connection != null && connection.localId == id ? connection : null;
    }

    private static int slot(long id) {
        return (int) id & ((1 << SLOT_BITS) - 1);
    }

    /** Returns the connection that its other end, at an endpoint, knows by an id; null if there is none. */
    @Nullable DatagramConnection ofRemote(Endpoint endpoint, long id) {
        return byRemote.get(new Remote(endpoint, id));
    }

    /** Returns whether there is a connection with an endpoint for which the process there is watched: it is, or was, open. */
    boolean hasWatched(Endpoint endpoint) {
        for (int slot = 0; slot < slotsUsed; slot++) {
            DatagramConnection connection = slots[slot];
            if (connection != null && connection.isWatched && endpoint.equals(connection.endpoint)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the connection with the node's number; null if there is none. */
    @Nullable DatagramConnection ofNumber(int number) {
        return byNumber.get(number);
    }
}
