/**
 * HTTP sessions of Tomcat that survive a crash.
 *
 * {@snippet :
 * var node = Node.tcp(7800).seeds("10.0.0.1:7800", "10.0.0.2:7800").start();
 * var manager = new TuttiManager(node);
 * manager.setAllowedClasses("com.shop.model.**");
 * context.setManager(manager);
 * }
 */
@NullMarked
package dev.tutti.tomcat;

import org.jspecify.annotations.NullMarked;
