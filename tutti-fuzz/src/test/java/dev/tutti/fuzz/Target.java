package dev.tutti.fuzz;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * A decoder of bytes from others.
 *
 * @param name name of the target and of its directory in the corpus
 * @param decoder reads an input
 * @param seeds valid inputs, beside those of the corpus
 * @param outcomes outcomes of which a run has to reach all
 * @param bound bound of the allocated bytes
 */
record Target(String name, Decoder decoder, Supplier<List<byte[]>> seeds, Set<String> outcomes, Bound bound) {

    /** Reads an input and returns its outcome. Whatever it throws is a finding. */
    @FunctionalInterface
    interface Decoder {

        /**
         * @param allocation measurement to start and stop around the decoding, if that is not all of the call
         * @return outcome of the input, in few words
         */
        Set<String> decode(byte[] input, Allocation allocation) throws Exception;
    }

    /** A decoder whose whole call is decoding. */
    @FunctionalInterface
    interface Simple {
        String decode(byte[] input) throws Exception;
    }

    static Target of(String name, Decoder decoder, Supplier<List<byte[]>> seeds, Set<String> outcomes) {
        return new Target(name, decoder, seeds, outcomes, Bound.USUAL);
    }

    static Target of(String name, Simple decoder, Supplier<List<byte[]>> seeds, String... outcomes) {
        Decoder measured = (input, allocation) -> {
            allocation.start();
            String outcome = decoder.decode(input);
            allocation.stop(input.length, 0);
            return Set.of(outcome);
        };
        return of(name, measured, seeds, new TreeSet<>(Set.of(outcomes)));
    }

    Target within(Bound other) {
        return new Target(name, decoder, seeds, outcomes, other);
    }

    @Override
    public String toString() {
        return name;
    }
}
