package dev.tutti.protocols.discovery;

/** Digest of a set of addresses, equal for equal sets in any order. */
final class AddressDigest {

    private long sum;

    /** @param self address that it always includes */
    AddressDigest(String self) {
        this.sum = hash(self);
    }

    /** Includes an address, or leaves it out. */
    void include(Address address, boolean isIncluded) {
        if (address.isCounted != isIncluded) {
            address.isCounted = isIncluded;
            sum += isIncluded ? hash(address.text) : -hash(address.text);
        }
    }

    long value() {
        return sum;
    }

    /** Returns the FNV-1a hash, mixed so that sums of hashes distinguish sets. */
    private static long hash(String text) {
        long hash = 0xCBF29CE484222325L;
        for (int index = 0; index < text.length(); index++) {
            hash = (hash ^ text.charAt(index)) * 0x100000001B3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xFF51AFD7ED558CCDL;
        return hash ^ (hash >>> 33);
    }
}
