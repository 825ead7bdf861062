/** HTTP sessions of Tomcat that survive a crash. */
@NullMarked
package dev.tutti.tomcat;

import org.jspecify.annotations.NullMarked;
