package dev.tutti.grid.match;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node of the tree of patterns, reached by the levels before it. One writer changes it while others read. */
final class Branch<T> extends Fork<T> {

    private final String level;
    private final int hash;

    /** The rules of the pattern that ends here. */
    private volatile @Nullable Leaf<T> here;

    /** The rules of the pattern that ends here with {@code #}. */
    private volatile @Nullable Leaf<T> rest;

    /** The branch after {@code *}. */
    private volatile @Nullable Branch<T> any;

    Branch(String level) {
        // Many branches have the same level, such as load, and their searches find it in the processor's cache.
        this.level = level.intern();
        hash = level.hashCode();
    }

    int hash() {
        return hash;
    }

    /** Returns whether a part of a text, which would have this hash as a string, is the level. */
    boolean is(String text, int from, int end, int otherHash) {
        return hash == otherHash && level.length() == end - from && text.startsWith(level, from);
    }

    @Nullable Leaf<T> here() {
        return here;
    }

    @Nullable Leaf<T> rest() {
        return rest;
    }

    @Nullable Branch<T> any() {
        return any;
    }

    @Nullable Leaf<T> leaf(boolean isRest) {
        return isRest ? rest : here;
    }

    void leaf(boolean isRest, @Nullable Leaf<T> leaf) {
        if (isRest) {
            rest = leaf;
        } else {
            here = leaf;
        }
    }

    @Nullable Branch<T> next(String following) {
        return following.equals("*") ? any : named(following);
    }

    void addNext(Branch<T> branch) {
        if (branch.isAny()) {
            any = branch;
        } else {
            addNamed(branch);
        }
    }

    void removeNext(Branch<T> branch) {
        if (branch.isAny()) {
            any = null;
        } else {
            removeNamed(branch);
        }
    }

    private boolean isAny() {
        return level.equals("*");
    }

    boolean isEmpty() {
        return here == null && rest == null && any == null && !hasNamed();
    }

    /** Gives all branches that follow, in no order. */
    void forEachNext(Consumer<Branch<T>> each) {
        Branch<T> wild = any;
        if (wild != null) {
            each.accept(wild);
        }
        forEachNamed(each);
    }
}
