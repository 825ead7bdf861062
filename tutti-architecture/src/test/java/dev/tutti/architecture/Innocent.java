package dev.tutti.architecture;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** A class that is there to break nothing. */
@Retention(RetentionPolicy.RUNTIME)
@interface Innocent {}
