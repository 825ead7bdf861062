package domain;

import java.io.Serializable;

/** A class that the TCK loads by class loaders of its own; its tests run without the classes of this directory. */
public class Zoo implements Serializable {

    private static final long serialVersionUID = 1;

    /** Constructor for the TCK. */
    public Zoo() {
        // Nothing is in it.
    }
}
