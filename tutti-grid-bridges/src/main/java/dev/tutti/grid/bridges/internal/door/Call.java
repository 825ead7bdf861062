package dev.tutti.grid.bridges.internal.door;

/**
 * A request that a bridge answers.
 *
 * @param type content type without parameters, in lower case; empty for none
 * @param encoding content encoding in lower case; empty for none
 * @param body body as it was sent
 */
public record Call(String method, String path, String type, String encoding, byte[] body) {}
