package dev.tutti.blocks.typed;

import dev.tutti.core.Member;
import dev.tutti.core.View;

/**
 * A message of a {@link TypedGroup} as its receiver sees it. The receiver may keep it.
 *
 * @param view view that the message is delivered in, the same at all members that deliver it
 * @param isUnicast whether it was sent to this member alone
 * @param <T> the values
 */
public record TypedMessage<T>(Member sender, View view, boolean isUnicast, T value) {}
