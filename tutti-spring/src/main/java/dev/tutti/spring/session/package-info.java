/** HTTP sessions of Spring Session in the memory of all nodes. */
@NullMarked
package dev.tutti.spring.session;

import org.jspecify.annotations.NullMarked;
