package dev.tutti.jcache.internal;

/**
 * A key as it was serialized, and as the object that it is found by.
 *
 * @param object a copy that nobody else has
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares keys; the store compares their objects.
public record Key(byte[] bytes, Object object) {}
