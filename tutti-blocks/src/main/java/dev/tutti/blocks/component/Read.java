package dev.tutti.blocks.component;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a {@link Component} that changes nothing. It runs where it is called, in order with all methods that change
 * something: it sees every change whose result any member got before it was called. It costs as much as a change.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Read {}
