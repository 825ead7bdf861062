package dev.tutti.grid.match;

/**
 * A sorted list of one element or more, without duplicates, that does not change. A longer list shares the array of the one that it was made from if the
 * new element is the last, so that a list of n elements is built in a time proportional to n. Only the newest list may be
 * changed; its users publish it safely.
 *
 * @param <E> type of elements, whose order agrees with equals
 */
final class Items<E extends Comparable<E>> {

    private static final int CAPACITY_FIRST = 2;

    private static final Object[] NONE = {};

    /** The first element, which takes one step through memory less than the others. */
    private final E first;

    /** All elements, unless there is only one. */
    private final Object[] array;

    private final int count;

    private Items(E first, Object[] array, int count) {
        this.first = first;
        this.array = array;
        this.count = count;
    }

    static <E extends Comparable<E>> Items<E> of(E element) {
        return new Items<>(element, NONE, 1);
    }

    int count() {
        return count;
    }

    @SuppressWarnings("unchecked")
    E get(int index) {
        return index == 0 ? first : (E) array[index];
    }

    void copyTo(Object[] target, int offset) {
        if (count == 1) {
            target[offset] = first;
        } else {
            System.arraycopy(array, 0, target, offset, count);
        }
    }

    boolean contains(E element) {
        return indexOf(element) >= 0;
    }

    private int indexOf(E element) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            int order = get(middle).compareTo(element);
            if (order == 0) {
                return middle;
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle - 1;
        }
        return -low - 1;
    }

    Items<E> with(E element) {
        int index = indexOf(element);
        if (index >= 0) {
            return this;
        }
        int place = -index - 1;
        if (place == count && count < array.length) {
            array[count] = element;
            return new Items<>(first, array, count + 1);
        }
        Object[] copy = new Object[place == count ? Math.max(CAPACITY_FIRST, count + (count >> 1) + 1) : count + 1];
        for (int i = 0; i < count; i++) {
            copy[i < place ? i : i + 1] = get(i);
        }
        copy[place] = element;
        return new Items<>(place == 0 ? element : first, copy, count + 1);
    }

    /** Returns this list without an element that it has; it has others. */
    Items<E> without(E element) {
        int index = indexOf(element);
        if (count == 2) {
            return of(get(1 - index));
        }
        Object[] copy = new Object[count - 1];
        System.arraycopy(array, 0, copy, 0, index);
        System.arraycopy(array, index + 1, copy, index, count - index - 1);
        return new Items<>(index == 0 ? get(1) : first, copy, count - 1);
    }
}
