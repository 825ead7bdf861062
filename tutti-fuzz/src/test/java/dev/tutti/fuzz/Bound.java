package dev.tutti.fuzz;

/**
 * Bytes that a decoder may allocate for an input of {@code n} bytes: {@code allowance + perByte n + perElement min(n /
 * elementBytesMin, elementsMax)}.
 *
 * <p>Without elements this is the promise of every decoder: 2 n + 64 KiB. An element takes more as an object than on
 * the wire, in any implementation: a member, a frame, a value of a document. A decoder that makes elements states the
 * size of one, and the number that an input may name (docs/decisions/0115-decoders-allocate-in-proportion.md).
 *
 * @param perByte bytes per byte
 * @param perElement bytes per element
 * @param elementBytesMin length of the shortest element
 * @param elementsMax largest number of elements in an input; the decoder refuses more
 * @param allowance bytes in addition
 */
record Bound(int perByte, int perElement, int elementBytesMin, int elementsMax, long allowance) {

    /** Bound of every decoder for which no other is given. */
    static final Bound USUAL = new Bound(2, 0, 1, 0, 64 * 1024);

    long bytes(long inputBytes) {
        return allowance + perByte * inputBytes + perElement * Math.min(inputBytes / elementBytesMin, elementsMax);
    }

    Bound withElements(int bytes, int bytesMin, int countMax) {
        return new Bound(perByte, bytes, bytesMin, countMax, allowance);
    }

    Bound withPerByte(int bytes) {
        return new Bound(bytes, perElement, elementBytesMin, elementsMax, allowance);
    }

    Bound withAllowance(long bytes) {
        return new Bound(perByte, perElement, elementBytesMin, elementsMax, bytes);
    }

    @Override
    public String toString() {
        String elements = perElement == 0
                ? ""
                : " + " + perElement + " min(n / " + elementBytesMin + ", " + elementsMax + ")";
        return allowance / 1024 + " KiB + " + perByte + " n" + elements;
    }
}
