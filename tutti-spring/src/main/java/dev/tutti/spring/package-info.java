/** A node, its groups, blocks and listeners as beans of a Spring Boot application. */
@NullMarked
package dev.tutti.spring;

import org.jspecify.annotations.NullMarked;
