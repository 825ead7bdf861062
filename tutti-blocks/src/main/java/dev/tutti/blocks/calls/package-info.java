/**
 * Calls to members of a group.
 *
 * {@snippet :
 * static final Procedure<String, byte[]> GET = Procedure.of("get", Codec.TEXT, Codec.BYTES);
 *
 * Calls calls = Calls.on(node.group("cache")).handle(GET, (key, context) -> store.get(key)).join();
 *
 * byte[] value = calls.to(owner).within(Duration.ofSeconds(1)).call(GET, "k");
 * Outcomes<byte[]> values = calls.toOthers().waitFor(Wait.MAJORITY).call(GET, "k");
 * }
 */
@NullMarked
package dev.tutti.blocks.calls;

import org.jspecify.annotations.NullMarked;
