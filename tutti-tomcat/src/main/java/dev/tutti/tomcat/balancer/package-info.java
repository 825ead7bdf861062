/** The listener that announces a Tomcat to balancers. */
@NullMarked
package dev.tutti.tomcat.balancer;

import org.jspecify.annotations.NullMarked;
