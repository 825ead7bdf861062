/** The node and the group that the applications of a Tomcat use, as their settings describe them. */
@NullMarked
package dev.tutti.tomcat.node;

import org.jspecify.annotations.NullMarked;
