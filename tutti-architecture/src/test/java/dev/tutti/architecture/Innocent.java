package dev.tutti.architecture;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Marks a class that breaks no rule. */
@Retention(RetentionPolicy.RUNTIME)
@interface Innocent {}
