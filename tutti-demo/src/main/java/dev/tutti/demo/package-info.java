/** A small shop on several Tomcats whose carts survive the kill of a node. */
@NullMarked
package dev.tutti.demo;

import org.jspecify.annotations.NullMarked;
