/**
 * Groups of processes that see the same views and send each other messages.
 *
 * {@snippet :
 * try (var node = Node.tcp(7800).seeds("10.0.0.1:7800", "10.0.0.2:7800").start();
 *         var chat = node.group("chat").onMessage(m -> System.out.println(m.sender() + ": " + m.text())).join()) {
 *     chat.send("hello");
 * }
 * }
 */
@NullMarked
package dev.tutti;

import org.jspecify.annotations.NullMarked;
