package dev.tutti.fuzz;

/**
 * How many bytes a decoder may allocate for an input of {@code n} bytes: {@code allowance + perByte n + perElement
 * min(n / elementBytesMin, elementsMax)}.
 *
 * <p>Without elements that is what is promised of every decoder: 2 n + 64 KiB. An element is a thing that takes more as an
 * object than on the wire, whoever writes it: a member, a frame, a value of a document. A decoder that makes such things
 * says how large one is and how many an input may name (docs/decisions/0115-what-input-may-allocate.md).
 *
 * @param perByte bytes per byte
 * @param perElement bytes per element
 * @param elementBytesMin how short an element can be
 * @param elementsMax how many of them an input can have; the decoder refuses what has more
 * @param allowance bytes besides
 */
record Bound(int perByte, int perElement, int elementBytesMin, int elementsMax, long allowance) {

    /** Of every decoder of which nothing else is said. */
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
