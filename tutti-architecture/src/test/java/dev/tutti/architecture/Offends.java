package dev.tutti.architecture;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Rule that a class is there to break. */
@Retention(RetentionPolicy.RUNTIME)
@interface Offends {
    Determinism.Offence value();
}
