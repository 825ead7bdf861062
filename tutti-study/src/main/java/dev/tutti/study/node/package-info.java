/** One node: a Tomcat with the application. */
@NullMarked
package dev.tutti.study.node;

import org.jspecify.annotations.NullMarked;
