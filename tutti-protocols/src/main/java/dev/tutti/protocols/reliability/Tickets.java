package dev.tutti.protocols.reliability;

import java.util.Arrays;

/** Packets of one stream for which the application wants a receipt, in the order of their numbers. */
final class Tickets {

    private static final long[] NONE = {};

    private long[] numbers = NONE;
    private long[] tickets = NONE;
    private int first;
    private int end;

    boolean isEmpty() {
        return first == end;
    }

    int size() {
        return end - first;
    }

    void add(long number, long ticket) {
        if (end == numbers.length) {
            makeRoom();
        }
        numbers[end] = number;
        tickets[end] = ticket;
        end++;
    }

    /** Returns the number of the packet at {@code index}, which is below {@link #size}. */
    long number(int index) {
        return numbers[first + index];
    }

    long ticket(int index) {
        return tickets[first + index];
    }

    void removeFirst() {
        first++;
        if (first == end) {
            first = 0;
            end = 0;
        }
    }

    /** Moves the entries to the start of the arrays, of which at least half is free then. */
    private void makeRoom() {
        int size = size();
        int length = Math.max(8, Integer.highestOneBit(Math.max(1, size)) * 4);
        long[] movedNumbers = Arrays.copyOf(Arrays.copyOfRange(numbers, first, end), length);
        tickets = Arrays.copyOf(Arrays.copyOfRange(tickets, first, end), length);
        numbers = movedNumbers;
        first = 0;
        end = size;
    }
}
